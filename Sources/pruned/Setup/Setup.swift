import DefaultStore
import FoundationEssentials
import Glibc
import Ledger
import Logging
import PolicyFile
import Pruning
import Retention
import Systemd

/// What the command line, the environment and the configuration file add up to.
struct Setup {
    /// Absolute.
    let stateDirectory: String
    /// What the configuration is read from.
    let configurationFiles: ConfigurationFiles
    /// What the files, or the built-in policy, said at the start.
    private(set) var configuration: Configuration
    /// Where messages go.
    let logger: Logger
    /// What is remembered in the state directory.
    let ledger: Ledger
    /// Whether messages are read by a person at once, who need not be told in them what is printed anyway.
    let isWatched: Bool
    /// Who started the program.
    let caller: String?
    /// How a person calls this program for the same state and policy.
    let program: String
    /// How a person tells systemd something about the service of the same state directory.
    let service: ServiceControl
    /// The user's own configuration file that is not there, where the system's stands in for it.
    let missingConfiguration: String?

    var policy: RetentionPolicy { configuration.policy }

    /// Reads the configuration, then becomes the owner of the state directory if root.
    /// `dropIns`: files that are read as if they lay over the others. `inForce`: what is gone by, whatever the files say.
    init(
        _ options: CommonOptions, dropIns: [String] = [], inForce: Configuration? = nil
    ) throws(Failure) {
        caller = Privileges.caller
        stateDirectory = try Self.stateDirectory(options)
        program = Self.program(options, stateDirectory)
        service = ServiceControl(stateDirectory: stateDirectory)
        var files = Self.configurationFiles(options)
        files.candidates = dropIns
        configurationFiles = files
        let isSystems = options.config == nil && configurationFiles.main == DefaultConfiguration.system
        missingConfiguration = isSystems ? Self.ownConfiguration : nil
        configuration =
            if let inForce { inForce } else {
                try Self.readConfiguration(configurationFiles, stateDirectory: stateDirectory)
            }
        let destination = LogDestination(environment: ProcessInfo.processInfo.environment)
        isWatched = destination == .plainText
        let logger = Logger(destination, verbose: options.verbose)
        self.logger = logger
        ledger = Ledger(stateDirectory: stateDirectory) { logger.say($0) }
        try Privileges.assumeOwner(of: stateDirectory)
    }

    /// The same by another configuration.
    func working(by configuration: Configuration) -> Setup {
        var setup = self
        setup.configuration = configuration
        return setup
    }

    /// The state directory that is meant, absolute.
    static func stateDirectory(_ options: CommonOptions) throws(Failure) -> String {
        do throws(ReaderStoreError) {
            return try StateDirectory.absolute(
                StateDirectory.resolve(
                    option: options.stateDir, environment: ProcessInfo.processInfo.environment,
                    isRoot: geteuid() == 0, userName: Privileges.userName))
        } catch {
            throw Failure(error)
        }
    }

    /// The configuration files that are meant.
    static func configurationFiles(_ options: CommonOptions) -> ConfigurationFiles {
        options.config.map { ConfigurationFiles($0) } ?? defaultConfigurationFiles
    }

    private static var places: [String] {
        DefaultConfiguration.places(
            environment: ProcessInfo.processInfo.environment, isRoot: geteuid() == 0,
            userName: Privileges.userName)
    }

    /// Where the user's own file would be; nil for whom there is the system's alone.
    private static var ownConfiguration: String? {
        places.first.flatMap { $0 == DefaultConfiguration.system ? nil : $0 }
    }

    /// The first of the files that exist where none is named.
    private static var defaultConfigurationFiles: ConfigurationFiles {
        let exists = { (path: String) in access(path, F_OK) == 0 }
        // Drop-ins may stand there without it, over the built-in policy.
        let found = places.first { exists($0) || exists(ConfigurationFiles($0).dropInDirectory) }
        return ConfigurationFiles(found ?? DefaultConfiguration.system, exists: found.map(exists) ?? false)
    }

    /// Names what a person who calls `pruned` without options would not mean. Under a service manager that is root.
    static func program(_ options: CommonOptions, _ stateDirectory: String) -> String {
        let isNamed = ProcessInfo.processInfo.environment["STATE_DIRECTORY"] != nil
        let isUsual = options.stateDir == nil && (!isNamed || stateDirectory == StateDirectory.system)
        // Absolute: who copies a command may stand elsewhere.
        let named = isUsual ? nil : stateDirectory
        return CommandText(Privileges.isBySudo ? "sudo pruned" : "pruned")
            .adding("--config", options.config.map { (try? StateDirectory.absolute($0)) ?? $0 })
            .adding("--state-dir", named).description
    }

    /// The configuration as the files say it now; `last` is what they said before. A file that has come since is read where
    /// none is named, and one that was read must stay: without it rules would be back at what is built in.
    func readConfiguration(after last: Configuration) throws(Failure) -> Configuration {
        let isUnnamed = configurationFiles.main == nil
        let read = isUnnamed ? last.files.first { $0 == DefaultConfiguration.system } : nil
        let files = read.map { ConfigurationFiles($0) } ?? Self.defaultConfigurationFiles
        return try Self.readConfiguration(
            isUnnamed ? files : configurationFiles, stateDirectory: stateDirectory)
    }

    /// What `files` say to whoever works on this state directory.
    static func readConfiguration(
        _ files: ConfigurationFiles, stateDirectory: String, systemTimeZone: Zone = .current
    ) throws(Failure) -> Configuration {
        do {
            return try files.read(
                systemTimeZone: systemTimeZone, user: Privileges.userWorking(on: stateDirectory))
        } catch {
            throw Failure(error)
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

    /// The stores that the command line names, by name; all when it names none.
    func storeDefinitions(named texts: [String]) throws(Failure) -> [StoreDefinition] {
        let names = policy.stores.map(\.name.description)
        if let unknown = texts.first(where: { !names.contains($0) }) {
            throw Failure(
                .usage, "there is no store \"\(unknown)\"",
                hint: names.nearest(to: unknown).map { "did you mean \"\($0)\"?" }
                    ?? "the stores are " + names.joined(separator: ", "))
        }
        return policy.stores.filter { texts.isEmpty || texts.contains($0.name.description) }
    }

    /// The stores of a policy, by name.
    func stores(of policy: RetentionPolicy, purpose: String) throws(Failure) -> StoreSet {
        try StoreSet(policy: policy, stateDirectory: stateDirectory, purpose: purpose)
    }

    /// Throws where the state that a run goes by is there and cannot be read: a run that took it for empty would forget what was
    /// held. One that somebody has locked is told, and every rule counts as new.
    func checkState() throws(Failure) {
        do throws(StoreError) { try ledger.read(or: ()) { _ in } } catch {
            guard error.kind == .busy else { throw Failure(error) }
            logger.error(error)
        }
    }

    /// What the guards of a run of `rules` go by, on the stores at `places`, with `confirmed` confirmed by whoever starts it.
    func guardMemory(
        of rules: [RetentionRule], at places: [Name: String], confirmed: Set<Name> = []
    ) -> GuardMemory {
        ledger.readIfPossible(or: GuardMemory(lastRuns: [:], holds: [:], confirmedNow: confirmed)) { tables in
            try GuardMemory(
                lastRuns: tables.lastRuns(of: rules, at: places), holds: tables.holds(),
                confirmedNow: confirmed)
        }
    }

    /// Who started a run that is not due: a person, or where a service manager reads the messages, its timer.
    var initiatorOfRun: Initiator { Initiator(isWatched ? .hand : .service, user: caller) }

    /// The guard of this machine's clock, which remembers in the state directory.
    func makeClockGuard() -> ClockGuard {
        ClockGuard(machine: .system, memory: ledger)
    }

    /// What writes the history of the state directory.
    func makeHistoryRecorder() -> HistoryRecorder {
        HistoryRecorder(ledger: ledger, logger: logger)
    }
}
