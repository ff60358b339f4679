/// A command line for a person to copy into a shell.
struct CommandText: CustomStringConvertible {
    private(set) var description: String

    init(_ program: String) { description = program }

    /// The same with an option, if it has a value.
    func adding(_ option: String, _ value: String?) -> CommandText {
        value.map { CommandText("\(self) \(option) \(Self.quoted($0))") } ?? self
    }

    private static let plain = Set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-")

    private static func quoted(_ word: String) -> String {
        plain.isSuperset(of: word) ? word : "'" + word.replacing("'", with: "'\\''") + "'"
    }
}
