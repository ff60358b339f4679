import Foundation
import TerminalText

/// Times as the store has them: whole Unix seconds, rounded down.
extension Date {
    init(storeSeconds: Int64) { self.init(timeIntervalSince1970: TimeInterval(storeSeconds)) }

    /// A time outside of the store's range becomes a value that the store refuses. NaN becomes a value before the
    /// range.
    var storeSeconds: Int64 {
        let seconds = timeIntervalSince1970.rounded(.down)
        guard seconds >= 0 else { return -1 }
        return Int64(min(seconds, 1_000_000_000_000))
    }
}

extension String {
    /// Whether SQLite can store the text. It ends a text at a NUL, so "a", NUL and more text would become "a", which is
    /// a different text.
    var isStorable: Bool { !utf8.contains(0) }
}

extension ReaderTransaction {
    /// Throws ``ReaderStoreError/Kind-swift.enum/invalid`` when the store cannot store one of the texts.
    func expectStorable(_ texts: String?..., to operation: String) throws(ReaderStoreError) {
        for case let text? in texts where !text.isStorable {
            throw .invalid(operation, path: path, cause: "there is a NUL in \"\(text.visible)\"")
        }
    }
}

extension ReaderTransaction {
    /// Throws ``ReaderStoreError/Kind-swift.enum/invalid`` when the store cannot store the time.
    func expectStorable(_ time: Date, to operation: String) throws(ReaderStoreError) {
        guard ReaderSchema.times.contains(time.storeSeconds) else {
            throw .invalid(operation, path: path, cause: "its time is not between the years 2000 and 9999")
        }
    }
}

extension String {
    /// The beginning of the text, escaped to fit on one line.
    var visible: String { String(prefix(60)).onOneLine }
}
