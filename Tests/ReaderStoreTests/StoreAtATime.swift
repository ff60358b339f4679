import Foundation
import GRDB
import ReaderStore
import TestSupport

/// A store in a directory of its own, at a time that the test sets.
struct StoreAtATime {
    let directory: TemporaryDirectory
    let clock = ManualClock(now: runStart)
    let store: ReaderStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try ReaderStore(at: directory.store, now: { [clock] in clock.now })
    }

    var view: ViewContext { store.viewContext }

    /// The time now, and some seconds.
    func time(_ seconds: TimeInterval) -> Date { clock.now.addingTimeInterval(seconds) }

    func tweet(_ id: Int64, secondsAgo: TimeInterval = 60, by user: User = .ann) -> Tweet {
        Tweet(id: id, createdAt: time(-secondsAgo), text: "tweet \(id)", user: user)
    }

    /// The kind of error that `body` ends with; nil when it ends without.
    func failure(_ body: () throws -> Void) -> ReaderStoreError? {
        do {
            try body()
            return nil
        } catch { return error as? ReaderStoreError }
    }
}

extension User {
    static let ann = User(
        id: 1, name: "Ann", screenName: "ann", profileImageURL: "https://example.org/ann.png")
}

/// What the database holds, or becomes, past the library.
func database<Result>(at path: String, _ body: (Database) throws -> Result) throws -> Result {
    try ReaderStore.open(at: path).write(body)
}
