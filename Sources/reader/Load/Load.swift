import Foundation
import ReaderStore

/// A busy app: small changes at a steady rate, and a count of unread tweets after every tenth.
///
/// Most of the rows that it writes have expired already, so that the service has as much to delete. The others are the
/// same few rows repeatedly, so that the kept rows do not grow.
struct Load {
    let store: ReaderStore
    /// The number of changes per second.
    let rate: Int
    /// The number of changes.
    let count: Int

    private static let expired: TimeInterval = 200 * 86_400
    private static let tabs = 50
    private static let freshRecords = 100

    /// Makes the changes. Throws the first error immediately.
    func run() async throws -> LoadReport {
        // Ids that no other load has used.
        let firstID = Int64(Date().timeIntervalSince1970 * 1_000) << 20
        let (clock, begin) = (ContinuousClock(), ContinuousClock.now)
        var waits: [Duration] = []
        waits.reserveCapacity(count)
        for number in 0..<count {
            try await clock.sleep(until: begin + .seconds(1) * number / rate)
            waits.append(
                try clock.measure {
                    try store.viewContext.write { try change(number, firstID + Int64(number), $0) }
                })
            if number.isMultiple(of: 10) { _ = try store.viewContext.read { try $0.unreadCount() } }
        }
        return LoadReport(waits: waits, time: clock.now - begin)
    }

    private func change(_ number: Int, _ id: Int64, _ store: borrowing ReaderTransaction) throws {
        let old = store.now - Self.expired
        switch number % 5 {
        case 0: try store.add(Tweet(id: id, createdAt: old, text: "Load \(number)", user: user(number)))
        case 1: try store.save(ReadRecord(id: "\(id)", createdAt: old))
        case 2: try store.addItem(at: old)
        case 3: try store.replaceFeed(ofTab: tab(number), with: articles(number), lifetime: 1)
        default:
            let record = ReadRecord(id: "load-\(number % Self.freshRecords)", createdAt: store.now)
            try store.save(record, updating: true)
        }
    }

    private func user(_ number: Int) -> User {
        let id = Int64(number % 10 + 1)
        return User(id: id, name: "Load \(id)", screenName: "load\(id)", profileImageURL: "")
    }

    private func tab(_ number: Int) -> Int64 { 1_000_000 + Int64(number / 5 % Self.tabs) }

    private func articles(_ number: Int) -> [Article] {
        (1...20).map {
            Article(title: "Article \($0) of \(number)", url: "https://load.example/\(number)/\($0)")
        }
    }
}

/// The result of a load: how long the app waited for each change, from the request to the commit.
struct LoadReport: Encodable {
    let writes: Int
    let seconds: Double
    let median_wait_ms: Double
    let longest_wait_ms: Double

    init(waits: [Duration], time: Duration) {
        let sorted = waits.sorted()
        writes = sorted.count
        seconds = time / .seconds(1)
        median_wait_ms = sorted.isEmpty ? 0 : Self.milliseconds(sorted[sorted.count / 2])
        longest_wait_ms = sorted.last.map(Self.milliseconds) ?? 0
    }

    private static func milliseconds(_ duration: Duration) -> Double {
        (duration / .microseconds(10)).rounded() / 100
    }
}

extension LoadReport: CustomStringConvertible {
    var description: String {
        let rounded = (seconds * 10).rounded() / 10
        return "\(writes.counted("write")) in \(rounded) s, "
            + "each in \(median_wait_ms) ms (median), the longest in \(longest_wait_ms) ms"
    }
}
