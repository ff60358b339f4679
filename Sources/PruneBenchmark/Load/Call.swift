/// One call of the app's to its store.
struct Call: Equatable {
    /// Nanoseconds of ``MonotonicClock``.
    let start: Int64
    let nanoseconds: Int64
    /// Whether the app's patience was not enough.
    var isRefused = false
    /// Whether it only read.
    var isRead = false

    var end: Int64 { start + nanoseconds }
    var line: String {
        "\(start) \(nanoseconds) \(isRefused ? "refused" : "done") \(isRead ? "read" : "write")"
    }
}

extension Call {
    /// Reads ``line``; nil for any other.
    init?(line: Substring) {
        let parts = line.split(separator: " ")
        guard parts.count == 4, let start = Int64(parts[0]), let nanoseconds = Int64(parts[1]) else {
            return nil
        }
        self.init(
            start: start, nanoseconds: nanoseconds, isRefused: parts[2] == "refused",
            isRead: parts[3] == "read")
    }
}
