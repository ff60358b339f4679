/// An error in a configuration file: what is wrong, where, and what to do about it.
///
/// Its texts cannot break a line, whatever the file contains: control characters are escaped and lengths are limited.
package struct PolicyFileError: Error, Equatable, Sendable {
    package enum Place: Equatable, Sendable {
        /// The file as a whole.
        case file
        /// A line, and the column if known; both count characters from 1.
        case line(Int, column: Int?)
        /// A key by its path (`rule.read-records.keep`), and its value as in a file; nil when the key is missing.
        case key(String, value: String?)
    }

    /// The file, as it was named.
    package let file: String
    package let place: Place
    /// What is wrong there.
    package let reason: String
    /// What to do about it.
    package let hint: String
    /// Whether nothing is known to be wrong with the file: there was no memory for it.
    package let isOutOfMemory: Bool

    init(file: String, place: Place, reason: String, hint: String, isOutOfMemory: Bool = false) {
        self.isOutOfMemory = isOutOfMemory
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
    /// What is wrong and where, on one line, without the hint.
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
