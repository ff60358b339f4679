import ArgumentParser
import PolicyFile
import Retention

/// `pruned check`: reports what is wrong, and changes nothing.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Validate the configuration and the stores; changes nothing.",
        discussion: """
            A line for each thing that was looked at, more for what is wrong, and last how much is wrong. With --verbose it \
            also shows which file each value of the configuration comes from.

            Examples:
              pruned check --problems
              pruned check --store reader
              pruned check --config /tmp/pruned.toml
              pruned check --config-only --config deploy/pruned.toml
            """)

    @ParentCommand var program: Pruned
    @OptionGroup var common: CommonOptions

    @OptionGroup var selection: SelectionOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Check the configuration as if this file were in conf.d, in place of the file of its"
                + " name there or as the last (repeatable).", valueName: "file"),
        completion: .configuration)
    var dropIn: [String] = []

    @Flag(
        name: .long,
        help: "Check the configuration alone, for continuous integration: no store is looked at.")
    var configOnly = false

    @Flag(name: .long, help: "Print the built-in policy as a configuration file.")
    var defaults = false

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Print the tables that the rules of this store use, as [[schema]] takes them, and check nothing.",
            valueName: "store"), completion: .store)
    var schema: String?

    func validate() throws {
        try program.refuseRunOptions(of: "check")
        guard schema == nil || selection.isEmpty && dropIn.isEmpty && !configOnly && !defaults else {
            throw ValidationError(
                "--schema cannot be combined with --store, --problems, --drop-in, --config-only or --defaults."
            )
        }
        guard !defaults || selection.isEmpty && dropIn.isEmpty && !configOnly else {
            throw ValidationError(
                "--defaults cannot be combined with --store, --problems, --drop-in or --config-only.")
        }
        guard !dropIn.contains("") else { throw ValidationError("--drop-in is empty.") }
        let names = dropIn.map(\.lastName)
        guard Set(names).count == names.count else {
            throw ValidationError("Two --drop-in files have the same name; conf.d can have only one of them.")
        }
    }

    func run() throws {
        ProcessSignals.ignoreUnwanted()
        try Failure.reported { () throws(Failure) in
            guard !defaults else { return try printDefaults() }
            guard !configOnly else {
                return try hinted { () throws(Failure) in
                    try ConfigurationCheck(common, dropIns: dropIn, selection)
                }.execute()
            }
            if let schema { return try PrintedSchema(setup: Setup(common), store: schema).execute() }
            let units = try ServiceUnits(workingOn: Setup.stateDirectory(common))
            let setup = try hinted { () throws(Failure) in try Setup(common, dropIns: dropIn) }
            return try Check(
                setup: setup, units: units, selection: selection, showsSettings: common.verbose,
                style: .of(.output, common.color)
            ).execute()
        }
    }

    /// Adds a hint when a file of conf.d was refused as a whole configuration: it is only a part of one, and --drop-in
    /// checks it as such.
    private func hinted<Value>(_ reading: () throws(Failure) -> Value) throws(Failure) -> Value {
        do {
            return try reading()
        } catch {
            guard error.status == .configuration, let file = common.config,
                file.split(separator: "/").dropLast().last == "conf.d"
            else { throw error }
            let way = CommandText("pruned check").adding("--drop-in", file)
            throw Failure(
                .configuration,
                messages: error.messages + [("\(file) is in conf.d", "`\(way)` checks it over the others")])
        }
    }

    private func printDefaults() throws(Failure) -> ExitStatus {
        let policy: RetentionPolicy
        do {
            policy = try .builtIn(timeZone: .current)
        } catch {
            throw Failure(.configuration, "the built-in policy is not consistent: \(error)")
        }
        let service = ServiceControl(stateDirectory: try Setup.stateDirectory(common))
        try StandardStream.output.write(
            PolicyFile.render(policy, systemTimeZone: .current, reload: service.command("reload")))
        return .done
    }
}
