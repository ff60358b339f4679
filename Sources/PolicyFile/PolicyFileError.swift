/// What is wrong with a configuration file, where, and what to do about it.
///
/// No text that it carries can break a line, whatever stands in the file: control characters are escaped and
/// lengths are bounded.
package struct PolicyFileError: Error, Equatable, Sendable {
    /// Where in the file.
    package enum Place: Equatable, Sendable {
        /// The file as a whole.
        case file
        /// A line, and where it is known the column in it, both counted from 1 in characters.
        case line(Int, column: Int?)
        /// A key, by its path (`rule.read-records.keep`), and its value as a file would write it; nil when
        /// the key is missing.
        case key(String, value: String?)
    }

    /// The file, as it was named.
    package let file: String
    /// Where in the file.
    package let place: Place
    /// What is wrong there.
    package let reason: String
    /// What to do about it.
    package let hint: String

    init(file: String, place: Place, reason: String, hint: String) {
        self.file = file.printable(limit: 4_096)
        self.place =
            switch place {
            case .file, .line: place
            case .key(let path, let value):
                .key(path.printable(limit: 200), value: value?.printable(limit: 80))
            }
        self.reason = reason.printable(limit: 300)
        self.hint = hint.printable(limit: 500)
    }
}

extension PolicyFileError: CustomStringConvertible {
    /// One line that says what is wrong and where, without the hint.
    package var description: String {
        switch place {
        case .file: "\(file): \(reason)"
        case .line(let line, column: nil): "\(file): line \(line): \(reason)"
        case .line(let line, .some(let column)): "\(file): line \(line), column \(column): \(reason)"
        case .key(let path, value: nil): "\(file): \(path): \(reason)"
        case .key(let path, .some(let value)): "\(file): \(path) = \(value): \(reason)"
        }
    }
}
