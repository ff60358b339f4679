import TerminalText

/// A command line for a person to copy into a shell.
struct CommandText: CustomStringConvertible {
    private(set) var description: String

    init(_ program: String) { description = program }

    /// This command with an option, if it has a value.
    func adding(_ option: String, _ value: String?) -> CommandText {
        value.map { CommandText("\(self) \(option) \($0.shellWord)") } ?? self
    }
}
