import Foundation
import Logging
import PolicyFile
import Pruning
import ReaderStore
import Retention
import Systemd

/// What the command line, the environment and the configuration file add up to.
struct Setup {
    /// Absolute.
    let stateDirectory: String
    /// The configuration file; nil while the built-in policy is in force.
    let configurationFile: String?
    /// What the file, or the built-in policy, said at the start.
    let policy: RetentionPolicy
    /// Where messages go.
    let logger: Logger
    /// Whether messages are read by a person at once, who need not be told in them what is printed anyway.
    let isWatched: Bool
    /// Who started the program.
    let caller: String?
    /// How a person calls this program for the same state and policy.
    let program: String

    /// Reads the configuration, then becomes the owner of the state directory if root.
    init(_ options: CommonOptions) throws(Failure) {
        caller = Privileges.caller
        program = Self.program(options)
        stateDirectory = Self.stateDirectory(options)
        configurationFile = Self.configurationFile(options)
        policy = try Self.readPolicy(configurationFile)
        let destination = LogDestination(environment: ProcessInfo.processInfo.environment)
        isWatched = destination == .plainText
        logger = Self.makeLogger(destination, verbose: options.verbose)
        try Privileges.assumeOwner(of: stateDirectory)
    }

    /// The state directory that is meant, absolute.
    static func stateDirectory(_ options: CommonOptions) -> String {
        absolute(
            StateDirectory.resolve(
                option: options.stateDir, environment: ProcessInfo.processInfo.environment,
                isRoot: geteuid() == 0, userName: Privileges.userName))
    }

    /// The configuration file that is meant; nil when there is none.
    static func configurationFile(_ options: CommonOptions) -> String? {
        if let named = options.config { return named }
        let places = DefaultConfiguration.places(
            environment: ProcessInfo.processInfo.environment, isRoot: geteuid() == 0,
            userName: Privileges.userName)
        return places.first { access($0, F_OK) == 0 }
    }

    /// Names what a person who calls `pruned` without options would not mean. Under a service manager that is root.
    private static func program(_ options: CommonOptions) -> String {
        let stateDirectory = ProcessInfo.processInfo.environment["STATE_DIRECTORY"]
            .map { _ in Self.stateDirectory(options) }.flatMap { $0 == StateDirectory.system ? nil : $0 }
        return CommandText("pruned")
            .adding("--config", options.config)
            .adding("--state-dir", options.stateDir ?? stateDirectory).description
    }

    /// The policy as the file says it now.
    func readPolicy() throws(Failure) -> RetentionPolicy {
        try Self.readPolicy(configurationFile)
    }

    /// The policy that `file` says; the built-in one for nil.
    static func readPolicy(_ file: String?) throws(Failure) -> RetentionPolicy {
        do {
            guard let file else { return try RetentionPolicy.builtIn(timeZone: .current) }
            return try PolicyFile.read(at: file, systemTimeZone: .current)
        } catch let error as PolicyFileError {
            throw Failure(error)
        } catch {
            throw Failure(.configuration, "the policy is not consistent: \(error)")
        }
    }

    /// The rule that the command line names.
    func rule(named text: String) throws(Failure) -> RetentionRule {
        guard let rule = Name(text).flatMap(policy.rule(named:)) else {
            throw Failure(
                .usage, "there is no rule \"\(text)\"",
                hint: "the rules are " + policy.rules.map(\.name.description).joined(separator: ", "))
        }
        return rule
    }

    /// The rules that the command line names, in running order; all when it names none.
    func rules(named texts: [String]) throws(Failure) -> [RetentionRule] {
        guard !texts.isEmpty else { return policy.rules }
        let selected = try Set(texts.map { text throws(Failure) in try rule(named: text).name })
        return policy.rules.filter { selected.contains($0.name) }
    }

    /// The stores of a policy, by name.
    func stores(of policy: RetentionPolicy, purpose: String) throws(Failure) -> StoreSet {
        try StoreSet(policy: policy, stateDirectory: stateDirectory, purpose: purpose)
    }

    /// The guard of this machine's clock, which remembers in the state directory.
    func makeClockGuard() -> ClockGuard {
        ClockGuard(machine: .system, stateDirectory: stateDirectory)
    }

    /// What keeps the history in the state directory.
    func makeHistoryKeeper() -> HistoryKeeper {
        HistoryKeeper(history: RunHistory(stateDirectory: stateDirectory), logger: logger)
    }

    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }

    /// The program's logger.
    static func makeLogger(_ destination: LogDestination, verbose: Bool = false) -> Logger {
        var logger = Logger(label: "pruned") { _ in destination.makeLogHandler(identifier: "pruned") }
        logger.logLevel = verbose ? .debug : .info
        return logger
    }
}
