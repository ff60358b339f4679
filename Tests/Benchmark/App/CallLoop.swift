import Foundation
import TestSupport

/// The app at work: one call in each period, until the benchmark closes this program's standard input or has died.
struct CallLoop {
    /// In nanoseconds.
    private let period: Int64
    /// Of ``MonotonicClock``.
    private var due: Int64
    private(set) var calls: [Call] = []

    /// Tells the benchmark that the work begins.
    init(milliseconds: Int64) throws {
        period = milliseconds * 1_000_000
        due = MonotonicClock.nanoseconds
        try Self.sayReady()
    }

    /// Sleeps until the next call is due; false when there is to be none.
    func waitsForNext() -> Bool {
        guard !Self.hasEnded() else { return false }
        MonotonicClock.sleep(until: due)
        return true
    }

    /// Adds a call that ends now. The calls that it made the app miss are left out: nobody reads faster after a wait.
    mutating func add(from start: Int64, isRefused: Bool = false, isRead: Bool = false) {
        let end = MonotonicClock.nanoseconds
        calls.append(Call(start: start, end: end, isRefused: isRefused, isRead: isRead))
        due += max(1, (end - due + period - 1) / period) * period
    }

    /// Waits for the end, at most so long; whether it has come.
    static func hasEnded(within milliseconds: Int32 = 0) -> Bool {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&input, 1, milliseconds) > 0
    }

    static func sayReady() throws {
        try FileHandle.standardOutput.write(contentsOf: Data("ready\n".utf8))
    }
}

/// One call of the app's to its store.
struct Call: Codable, Equatable {
    /// Nanoseconds of ``MonotonicClock``.
    let start: Int64
    let end: Int64
    /// Whether it failed as the store was busy.
    var isRefused = false
    /// Whether it only read.
    var isRead = false
}

/// How long the app's calls took in some time.
struct AppWaits: Codable, Equatable {
    let calls: Int
    /// Calls that failed as the store was busy.
    let refused: Int
    /// Of the calls, those that only read.
    let reads: Int
    /// Of the refused ones.
    let refusedReads: Int
    let medianMilliseconds: Double
    let longestMilliseconds: Double
    /// 99 of 100 took no longer.
    let p99Milliseconds: Double

    /// Of the calls that were under way between the two instants.
    init(_ all: [Call], from start: Int64, until end: Int64) {
        let calls = all.filter { $0.end >= start && $0.start <= end }
        let waits = calls.map { Double($0.end - $0.start) / 1e6 }.sorted()
        self.calls = calls.count
        refused = calls.count { $0.isRefused }
        reads = calls.count { $0.isRead }
        refusedReads = calls.count { $0.isRead && $0.isRefused }
        medianMilliseconds = waits.isEmpty ? 0 : waits.median
        longestMilliseconds = waits.last ?? 0
        p99Milliseconds = waits.isEmpty ? 0 : waits[(waits.count * 99 + 99) / 100 - 1]
    }
}
