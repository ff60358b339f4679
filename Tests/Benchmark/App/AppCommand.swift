import ArgumentParser
import Foundation
import GRDB
import ReaderStore
import TestSupport

/// The app, a process of its own: it works on its store until its standard input ends, then prints its calls.
struct AppCommand: AsyncParsableCommand {
    enum Work: String, CaseIterable, ExpressibleByArgument {
        /// Inserts read records or articles, each in a transaction of its own, every 3 ms.
        case inserting
        /// The same every 10 ms without a busy timeout, and a read halfway to the next insert. It never tries again.
        case withoutBusyTimeout
        /// Holds one snapshot after the other for 2 s.
        case longReads
        /// The same, but the first for 1 s: two such programs never change their snapshots at one time.
        case shiftedLongReads
        /// Asks for a fresh feed's articles every millisecond. At a slower pace most of the time is the waking up.
        case articles
        /// Loads all read records every 50 ms.
        case readRecords
    }

    static let configuration = CommandConfiguration(commandName: "app", shouldDisplay: false)

    @Argument var work: Work
    @Argument var path: String
    /// Of the store, as JSON.
    @Argument var recipe: StoreRecipe

    func run() async throws {
        let calls =
            switch work {
            case .inserting: try write(every: 3, insert)
            case .withoutBusyTimeout: try write(every: 5, insertAndRead)
            case .longReads: try holdSnapshots(firstMilliseconds: 2_000)
            case .shiftedLongReads: try holdSnapshots(firstMilliseconds: 1_000)
            case .articles: try await askForArticles()
            case .readRecords: try loadRecords()
            }
        print(String(decoding: try JSONEncoder().encode(calls), as: UTF8.self))
    }

    private func write(
        every milliseconds: Int64, _ work: (Database, inout CallLoop) throws -> Void
    ) throws -> [Call] {
        let store = try recipe.schema.open(at: path)
        let calls = try store.writeWithoutTransaction { db in
            var loop = try CallLoop(milliseconds: milliseconds)
            try work(db, &loop)
            return loop.calls
        }
        try store.close()
        return calls
    }

    private func insert(_ db: Database, _ loop: inout CallLoop) throws {
        let insert = try insertion(db)
        while loop.waitsForNext() {
            let row = newRow(loop.calls.count)
            let start = MonotonicClock.nanoseconds
            let isRefused = try Self.isRefused { try insert.execute(arguments: row) }
            loop.add(from: start, isRefused: isRefused)
        }
    }

    private func insertAndRead(_ db: Database, _ loop: inout CallLoop) throws {
        try db.execute(sql: "PRAGMA busy_timeout = 0")
        let insert = try insertion(db)
        let newest = try db.makeStatement(sql: "SELECT id FROM read_record ORDER BY created_at DESC LIMIT 20")
        while loop.waitsForNext() {
            let isRead = !loop.calls.count.isMultiple(of: 2)
            let row = newRow(loop.calls.count)
            let start = MonotonicClock.nanoseconds
            let isRefused = try Self.isRefused {
                guard !isRead else { return _ = try String.fetchAll(newest) }
                try db.inTransaction(.immediate) {
                    try insert.execute(arguments: row)
                    return .commit
                }
            }
            loop.add(from: start, isRefused: isRefused, isRead: isRead)
        }
    }

    private func insertion(_ db: Database) throws -> Statement {
        try db.makeStatement(
            sql: recipe.schema == .articles
                ? Article.insertion : "INSERT INTO read_record (id, created_at) VALUES (?, ?)")
    }

    /// A record or an article of now.
    private func newRow(_ index: Int) -> StatementArguments {
        let milliseconds = Int64(Date().timeIntervalSince1970 * 1_000)
        guard recipe.schema != .articles else {
            return Article.fresh(index, of: recipe, at: milliseconds / 1_000)
        }
        return [String(RecordIDs.snowflake(index, at: milliseconds)), milliseconds / 1_000]
    }

    private static func isRefused(_ body: () throws -> Void) throws -> Bool {
        do {
            try body()
            return false
        } catch DatabaseError.SQLITE_BUSY {
            return true
        }
    }

    private func holdSnapshots(firstMilliseconds: Int32) throws -> [Call] {
        let store = try ReaderStore.open(at: path)
        try store.writeWithoutTransaction { db in
            var milliseconds: Int32?
            var hasEnded = false
            while !hasEnded {
                try db.inTransaction(.deferred) {
                    _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM feed")
                    if milliseconds == nil { try CallLoop.sayReady() }
                    hasEnded = CallLoop.hasEnded(within: milliseconds ?? firstMilliseconds)
                    return .commit
                }
                milliseconds = 2_000
            }
        }
        try store.close()
        return []
    }

    private func askForArticles() async throws -> [Call] {
        let store = try self.store
        let cache = FeedCache(store: store, loader: NoNetwork())
        var loop = try CallLoop(milliseconds: 1)
        while loop.waitsForNext() {
            let tab = StoreRecipe.freshTab(Int(noise(loop.calls.count) % UInt64(recipe.feeds / 2)))
            let start = MonotonicClock.nanoseconds
            let articles = try await cache.articles(forTab: tab)
            loop.add(from: start, isRead: true)
            guard articles.count == StoreRecipe.articlesPerFeed else {
                throw BenchmarkError("tab \(tab) has \(articles.count) articles")
            }
        }
        try store.close()
        return loop.calls
    }

    private func loadRecords() throws -> [Call] {
        let store = try self.store
        let days = Int(Timeline.length / Timeline.day) + 1
        var loop = try CallLoop(milliseconds: 50)
        while loop.waitsForNext() {
            let start = MonotonicClock.nanoseconds
            let records = try store.viewContext.read { try $0.readRecords(keptDays: days) }
            loop.add(from: start, isRead: true)
            guard records.count == recipe.records else {
                throw BenchmarkError("\(records.count) of \(recipe.records) read records were loaded")
            }
        }
        try store.close()
        return loop.calls
    }

    /// The library's, at a time when no record is expired yet.
    private var store: ReaderStore {
        get throws {
            let now = Date(timeIntervalSince1970: TimeInterval(Timeline.end))
            return try ReaderStore(at: path, now: { now })
        }
    }
}

/// For a cache that has everything.
private struct NoNetwork: FeedLoader {
    func load(tab: Int64, since validators: FeedValidators?) throws -> LoadedFeed {
        throw BenchmarkError("tab \(tab) was not fresh")
    }
}
