import TerminalText
import DefaultStore
import FoundationEssentials
import Glibc
import Ledger
import Logging
import PolicyFile
import Pruning
import Retention
import Systemd

/// The settings from the command line, the environment and the configuration files.
struct Setup {
    /// An absolute path.
    let stateDirectory: String
    /// The files that the configuration is read from.
    let configurationFiles: ConfigurationFiles
    /// The configuration that was read at the start, or the built-in policy.
    private(set) var configuration: Configuration
    let logger: Logger
    /// The ledger of the state directory.
    let ledger: Ledger
    /// Tells the directory's group of it.
    let publisher = StatusPublisher()
    /// Whether a person reads the messages directly, so that they need not repeat the output.
    let isWatched: Bool
    /// The name of the user that started the program.
    let caller: String?
    /// The command line that calls this program for the same state and policy.
    let program: String
    /// The systemctl command for the service of the same state directory.
    let service: ServiceControl

    var policy: RetentionPolicy { configuration.policy }

    /// Reads the configuration. Then, if the process is root, it becomes the owner of the state directory.
    ///
    /// `dropIns` are files to read like files of conf.d. `inForce` is a configuration to use instead of the files. The
    /// stores of families are looked for, unless they are looked for later.
    init(
        _ options: CommonOptions, dropIns: [String] = [], inForce: Configuration? = nil,
        looksForStores: Bool = true
    ) throws(Failure) {
        caller = Privileges.caller
        stateDirectory = try Self.stateDirectory(options)
        program = Self.program(options, stateDirectory)
        service = ServiceControl(stateDirectory: stateDirectory)
        var files = try Self.configurationFiles(options)
        files.candidates = dropIns
        configurationFiles = files
        if let inForce {
            configuration = inForce
        } else {
            configuration = try Self.readConfiguration(configurationFiles, stateDirectory: stateDirectory)
            try Self.refuseUnconfigured(options, configuration, on: stateDirectory)
        }
        let destination = LogDestination(environment: ProcessInfo.processInfo.environment)
        isWatched = destination == .plainText
        let logger = Logger(destination, verbose: options.verbose)
        self.logger = logger
        ledger = Ledger(stateDirectory: stateDirectory) {
            logger.say($0)
        } changed: { [publisher] in
            publisher.changed()
        }
        try Privileges.assumeOwner(of: stateDirectory)
        if looksForStores { configuration = search.expanded(configuration) }
        publish(configuration)
    }

    /// Finds the stores of families.
    var search: FamilySearch { FamilySearch(stateDirectory: stateDirectory) }

    /// From now on this configuration is what the directory's group is told of.
    func publish(_ configuration: Configuration) {
        publisher.use(
            StatusPublisher.Source(
                configuration: configuration, ledger: ledger, program: program,
                file: configurationFiles.main))
    }

    /// This setup with another configuration, which is not published.
    func working(by configuration: Configuration) -> Setup {
        var setup = self
        setup.configuration = configuration
        return setup
    }

    /// The absolute path of the state directory to use.
    static func stateDirectory(_ options: CommonOptions) throws(Failure) -> String {
        let environment = ProcessInfo.processInfo.environment
        let resolved = StateDirectory.resolve(
            option: options.stateDir, environment: environment, isRoot: geteuid() == 0,
            userName: Privileges.userName)
        let isTold = options.stateDir != nil || !(environment["STATE_DIRECTORY"] ?? "").isEmpty
        guard isTold || resolved == StateDirectory.system else {
            return UserInstance.directory(
                for: Privileges.userName, instead: resolved, environment: environment) ?? resolved
        }
        do throws(ReaderStoreError) {
            return try StateDirectory.absolute(resolved)
        } catch {
            throw Failure(error)
        }
    }

    /// The configuration files to use.
    static func configurationFiles(_ options: CommonOptions) throws(Failure) -> ConfigurationFiles {
        let files =
            if let path = options.config { ConfigurationFiles(path) } else {
                defaultFiles(for: try stateDirectory(options))
            }
        return files.withInstalledPresets
    }

    /// The default file for `directory`, which need not exist. Root, who names a user's state directory, has that user's
    /// configuration.
    private static func defaultFiles(for directory: String) -> ConfigurationFiles {
        let instance = geteuid() == 0 ? UserInstance(workingOn: directory) : nil
        let environment =
            instance?.home.map { ["HOME": $0] } ?? ProcessInfo.processInfo.environment
        let path = DefaultConfiguration.path(
            environment: environment, isRoot: geteuid() == 0 && instance?.home == nil,
            userName: instance?.user ?? Privileges.userName, stateDirectory: directory)
        return ConfigurationFiles(path, exists: access(path, F_OK) == 0)
    }

    /// Throws if a person who configured nothing would get the built-in policy, though they neither have nor name a state
    /// directory. systemd makes that of a user's instance, so it says nothing there, but the reading app's store in it does.
    private static func refuseUnconfigured(
        _ options: CommonOptions, _ configuration: Configuration, on directory: String
    ) throws(Failure) {
        guard configuration.isBuiltIn, options.config == nil, options.stateDir == nil else { return }
        let path = DefaultConfiguration.path(
            environment: ProcessInfo.processInfo.environment, isRoot: geteuid() == 0,
            userName: Privileges.userName, stateDirectory: directory)
        let isInstance = UserInstance(workingOn: directory) != nil
        let own = isInstance ? StateDirectory.store(in: directory) : directory
        var status = stat()
        guard path != DefaultConfiguration.system, stat(own, &status) != 0 || status.st_uid != geteuid()
        else { return }
        throw .unconfigured(path)
    }

    /// The command line that calls this program, with the options that a person needs for the same state and policy.
    /// Under a service manager, that person is assumed to be root, or the user whose instance this is.
    static func program(_ options: CommonOptions, _ stateDirectory: String) -> String {
        let isNamed = ProcessInfo.processInfo.environment["STATE_DIRECTORY"] != nil
        let isInstance = Privileges.userName == UserInstance(workingOn: stateDirectory)?.user
        let isUsual =
            options.stateDir == nil
            && (!isNamed || stateDirectory == StateDirectory.system || isInstance)
        // Absolute, since the person who copies the command may be in another directory.
        let named = isUsual ? nil : stateDirectory
        return CommandText(Privileges.isBySudo ? "sudo pruned" : "pruned")
            .adding("--config", options.config.map { (try? StateDirectory.absolute($0)) ?? $0 })
            .adding("--state-dir", named).description
    }

    /// Reads the configuration again; `last` is the one that was read before. If the program started without a
    /// configuration file, a default file that exists by now is read. If such a file was read before, it must still
    /// exist: without it the built-in rules would apply again.
    func readConfiguration(after last: Configuration) throws(Failure) -> Configuration {
        guard configurationFiles.main == nil else {
            return try Self.readConfiguration(configurationFiles, stateDirectory: stateDirectory)
        }
        let files = Self.defaultFiles(for: stateDirectory)
        let read = last.files.first { $0 == files.path }
        return try Self.readConfiguration(
            (read.map { ConfigurationFiles($0) } ?? files).withInstalledPresets,
            stateDirectory: stateDirectory)
    }

    /// Reads `files` for the user that works on this state directory.
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

    /// The rule named on the command line.
    func rule(named text: String) throws(Failure) -> RetentionRule {
        let found = try rules(matching: text)
        guard found.count == 1 else {
            throw Failure(
                .usage, "\"\(text)\" stands for \(found.count) rules, and one is needed",
                hint: "one of them is \(found[0].name)")
        }
        return found[0]
    }

    /// The rules named on the command line: by name, by that of a rule that speaks for a family, or with a `*`.
    func rules(matching text: String) throws(Failure) -> [RetentionRule] {
        let pattern = FamilyPattern(text)
        let found = policy.rules.filter { rule in
            rule.name.description == text || configuration.writtenName(of: rule.name).description == text
                || pattern?.matched(in: rule.name.description) != nil
        }
        guard found.isEmpty else { return found }
        let names = configuration.template.rules.map(\.name.description)
        throw Failure(
            .usage,
            names.contains(text) ? "rule \(text) has no store now" : "there is no rule \"\(text)\"",
            hint: "the rules are " + names.joined(separator: ", "))
    }

    /// The rules named on the command line, in running order; all when none is named.
    func rules(named texts: [String]) throws(Failure) -> [RetentionRule] {
        guard !texts.isEmpty else { return policy.rules }
        let selected = try Set(
            texts.map { text throws(Failure) in try rules(matching: text).map(\.name) }.joined())
        return policy.rules.filter { selected.contains($0.name) }
    }

    /// The stores of a configuration, by name.
    func stores(of configuration: Configuration, purpose: String) throws(Failure) -> StoreSet {
        try StoreSet(configuration, stateDirectory: stateDirectory, purpose: purpose)
    }

    /// The same for a process that prunes them: a default store of an older version is moved first.
    func storesToPrune(of configuration: Configuration, purpose: String) throws(Failure) -> StoreSet {
        let stores = try stores(of: configuration, purpose: purpose)
        return stores.moveDefaultStore(ledger, logger)
            ? try self.stores(of: configuration, purpose: purpose) : stores
    }

    /// Throws when the state is another user's, or cannot be read. Treated as empty, its holds would be lost. If another
    /// process has it locked, the error is logged, and every rule counts as new.
    func checkState() throws(Failure) {
        guard !ledger.isOfAnother else {
            throw Failure(
                .system(
                    EACCES, operation: "look at the state", place: ledger.path,
                    hint: "run as root, or as the owner of \(stateDirectory)"))
        }
        do throws(StoreError) { try ledger.read(or: ()) { _ in } } catch {
            guard error.kind == .busy else { throw Failure(error) }
            logger.error(error)
        }
    }

    /// The guard memory for a run of `rules` on the stores at `places`. The command that starts the run confirms the
    /// rules in `confirmed`.
    func guardMemory(
        of rules: [RetentionRule], at places: [Name: String], confirmed: Set<Name> = []
    ) -> GuardMemory {
        ledger.readIfPossible(or: GuardMemory(lastRuns: [:], holds: [:], confirmedNow: confirmed)) { tables in
            try GuardMemory(
                lastRuns: tables.lastRuns(of: rules, at: places), holds: tables.holds(),
                confirmedNow: confirmed)
        }
    }

    /// Who started a run by command: a person, or the systemd timer if a service manager reads the messages.
    var initiatorOfRun: Initiator { Initiator(isWatched ? .hand : .service, user: caller) }

    /// A guard of this machine's clock that records its readings in the ledger.
    func makeClockGuard() -> ClockGuard {
        ClockGuard(machine: .system, memory: ledger)
    }

    /// A recorder of the ledger's history.
    func makeHistoryRecorder() -> HistoryRecorder {
        HistoryRecorder(ledger: ledger, logger: logger)
    }
}
