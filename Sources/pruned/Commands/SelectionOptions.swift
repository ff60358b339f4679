import ArgumentParser

/// What a command shows of a policy that has more than fits a screen.
struct SelectionOptions: ParsableArguments {
    @Option(
        name: .long, help: ArgumentHelp("Only this store and its rules (repeatable).", valueName: "name"),
        completion: .store)
    var store: [String] = []

    @Flag(name: .long, help: "Only the summary and what is wrong.")
    var problems = false

    var isEmpty: Bool { store.isEmpty && !problems }
}
