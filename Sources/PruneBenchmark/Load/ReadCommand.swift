import ArgumentParser
import GRDB
import ReaderStore

/// The app that reads in long transactions, one after the other, until its input ends.
struct ReadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "read", shouldDisplay: false)

    @Option var path: String
    /// How long each transaction keeps its snapshot.
    @Option var holdMilliseconds: Int32
    /// How long the first one does, so that two such programs never change their snapshots at one time.
    @Option var firstMilliseconds: Int32

    func run() throws {
        let store = try ReaderStore.open(at: path)
        try store.writeWithoutTransaction { db in
            var hold = firstMilliseconds
            var hasEnded = false
            while !hasEnded {
                try db.inTransaction(.deferred) {
                    _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM feed")
                    if hold == firstMilliseconds { try StandardInput.sayReady() }
                    hasEnded = StandardInput.hasEnded(within: hold)
                    return .commit
                }
                hold = holdMilliseconds
            }
        }
        try store.close()
    }
}
