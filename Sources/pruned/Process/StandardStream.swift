import FoundationEssentials
import Glibc

/// Standard output and standard error.
enum StandardStream: Int32 {
    case output = 1
    case error = 2

    var isTerminal: Bool { isatty(rawValue) == 1 }

    /// How many columns the terminal has; 80 where nobody says.
    var columns: Int {
        var size = winsize()
        return ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    /// The same; nil where there is no terminal.
    var width: Int? { isTerminal ? columns : nil }

    /// Writes `text`, or what can be written of it. Returns the system's error when that is not all, but none when the
    /// reader has gone: who pipes into `head` has what they wanted.
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
