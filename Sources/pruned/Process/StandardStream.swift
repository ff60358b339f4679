import Glibc
import TerminalText

/// Standard output and standard error.
enum StandardStream: Int32 {
    case output = 1
    case error = 2

    var isTerminal: Bool { isatty(rawValue) == 1 }

    /// The number of columns of the terminal; 80 when unknown.
    var columns: Int { width ?? 80 }

    /// The number of columns; nil without a terminal.
    var width: Int? { TerminalWidth.columns(of: rawValue) }

    /// Writes as much of `text` as possible. Returns `errno` when not all was written. A reader that has closed the
    /// pipe is not an error: it has read what it wanted, as `head` does.
    @discardableResult
    func writeIfPossible(_ text: String) -> Int32? {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(rawValue, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            if count < 0 && errno == EPIPE { return nil }
            guard count > 0 else { return errno }
            bytes = bytes.dropFirst(count)
        }
        return nil
    }
}
