import ArgumentParser

/// The options of every command.
struct CommonOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The configuration file, with the conf.d/*.toml beside it; else $XDG_CONFIG_HOME/pruned/pruned.toml, or"
                + " /etc/pruned/pruned.toml as root or as user pruned. Without stores in them: the built-in"
                + " policy.",
            valueName: "file"), completion: .configuration)
    var config: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "The state directory; else $STATE_DIRECTORY, /var/lib/pruned (as root or as user pruned),"
                + " /var/lib/pruned-user/USER if it exists, or $XDG_STATE_HOME/pruned.", valueName: "dir"),
        completion: .directory)
    var stateDir: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Colours: on a terminal (unless NO_COLOR is set), always or never.", valueName: "when"))
    var color = ColorChoice.auto

    @Flag(name: .long, help: "Also log debug messages; check also shows every setting and its file.")
    var verbose = false

    func validate() throws {
        guard config != "" else { throw ValidationError("--config is empty.") }
        guard stateDir != "" else { throw ValidationError("--state-dir is empty.") }
    }
}

/// Limits what a command shows of a large policy.
struct SelectionOptions: ParsableArguments {
    @Option(
        name: .long, help: ArgumentHelp("Only this store and its rules (repeatable).", valueName: "name"),
        completion: .store)
    var store: [String] = []

    @Flag(name: .long, help: "Only the summary and what is wrong.")
    var problems = false

    @Flag(name: .long, help: ScreenLength.help)
    var all = false

    var isEmpty: Bool { store.isEmpty && !problems && !all }

    func validate() throws {
        guard !problems || !all else { throw ValidationError("--problems cannot be combined with --all.") }
    }
}

extension SelectionOptions {
    /// How much a screen shows of so many stores.
    func length(ofStores stores: Int) -> ScreenLength {
        problems ? .problems : ScreenLength(ofStores: stores, all: all)
    }
}
