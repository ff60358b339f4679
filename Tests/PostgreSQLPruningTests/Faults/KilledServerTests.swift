import Foundation
import Pruning
import TestSupport
import Retention
import Synchronization
import Testing

@testable import PostgreSQLPruning

/// Kills a process of a server at random moments of many runs, while an app writes. The seed is in each failure.
@Suite(
    "A server that is killed in mid-run",
    .enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct KilledServerTests {
    private static let runs = 100
    /// So many expired rows come in before each run.
    private static let supply = 400

    @Test(
        "No row is lost or wrongly gone, the count is right or said to be unknown, and the next run goes on")
    func killed() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let server = try PostgreSQLServer.start()
        let news = try PrunedNews(on: server, articles: 1)
        let app = WritingReader(news, seed: seed)
        var (lastID, hit) = (1, 0)
        for round in 1...Self.runs {
            let ids = (lastID + 1)...(lastID + Self.supply)
            lastID = ids.upperBound
            try patiently {
                try news.database.psql(
                    """
                    INSERT INTO items SELECT n, '2026-01-01', false, repeat('x', 200)
                    FROM generate_series(\(ids.lowerBound), \(ids.upperBound)) n ON CONFLICT DO NOTHING
                    """, user: news.owner)
            }
            let before = try rows(of: news)
            let fault = Fault(
                server: server, deadline: .random(in: 0...6, using: &random),
                microseconds: .random(in: 0...4_000, using: &random), restarts: round % 10 == 0,
                victim: .random(in: 0...1_000, using: &random))
            if fault.deadline == 0 { fault.begin() }
            app.begin()
            let report = try news.run { if $0 == fault.deadline { fault.begin() } }
            // A run with fewer batches meets the fault between it and the next one.
            fault.begin()
            try fault.wait()
            let app = app.end()
            let after = try rows(of: news)

            let comment = Comment(rawValue: "seed \(seed), run \(round): \(report)")
            // The app deletes only rows with negative numbers.
            let gone = before.subtracting(after).filter { $0 > 0 }
            #expect(app.kept.isSubset(of: after), comment)
            #expect(app.added.isSubset(of: after), comment)
            #expect(app.removed.isDisjoint(with: after), comment)
            #expect(before.filter { $0 < 0 }.subtracting(app.triedToRemove).isSubset(of: after), comment)
            if report.outcome != .done { hit += 1 }
            if report.failure?.cause.contains("it is unknown") ?? false {
                #expect(gone.count >= report.deleted, comment)
            } else {
                #expect(gone.count == report.deleted, comment)
            }
        }
        #expect(hit > Self.runs / 4, "the faults come too late: seed \(seed)")
        let last = try news.run()
        #expect(last.outcome == .done, "seed \(seed): \(last)")
        #expect(
            try news.database.psql("SELECT count(*) FROM items WHERE at < '2026-10-01' AND NOT starred")
                == "0")
    }

    private func rows(of news: PrunedNews) throws -> Set<Int> {
        let text = try patiently { try news.database.psql("SELECT id FROM items") }
        return Set(text.split(separator: "\n").compactMap { Int($0) })
    }

    /// Tries again while the server recovers.
    @discardableResult
    private func patiently<Result>(_ body: () throws -> Result) throws -> Result {
        var result: Result?
        try wait(for: "the server") {
            result = try? body()
            return result != nil
        }
        return try #require(result)
    }
}

/// Kills a process of the server, once, a little after it is told to.
private final class Fault: Sendable {
    /// After how many batches.
    let deadline: Int
    private let server: PostgreSQLServer
    private let microseconds: UInt32
    private let restarts: Bool
    private let victim: Int
    private let state = Mutex((begun: false, ended: false, error: (any Error)?.none))

    init(server: PostgreSQLServer, deadline: Int, microseconds: UInt32, restarts: Bool, victim: Int) {
        (self.server, self.deadline, self.microseconds) = (server, deadline, microseconds)
        (self.restarts, self.victim) = (restarts, victim)
    }

    func begin() {
        let isFirst = state.withLock { state in
            defer { state.begun = true }
            return !state.begun
        }
        guard isFirst else { return }
        Thread.detachNewThread { [self] in
            usleep(microseconds)
            do {
                if restarts { try server.restart(.immediate) } else { try killChild() }
            } catch {
                state.withLock { $0.error = error }
            }
            state.withLock { $0.ended = true }
        }
    }

    /// The first process then ends all others and recovers, as after a crash.
    private func killChild() throws {
        guard let first = server.processID else { return }
        let text = try String(contentsOfFile: "/proc/\(first)/task/\(first)/children", encoding: .utf8)
        // `setsid` and the like have been replaced by the server.
        let children = text.split(separator: " ").compactMap { pid_t($0) }
        guard !children.isEmpty else { return }
        kill(children[victim % children.count], SIGKILL)
    }

    func wait() throws {
        try TestSupport.wait(for: "the fault", seconds: 60) { state.withLock(\.ended) }
        if let error = state.withLock(\.error) { throw error }
    }
}

/// An app that writes, and knows which of its changes were confirmed. It ends with its connection.
private final class WritingReader: Sendable {
    struct Model {
        /// Expired rows that have a star for certain.
        var kept: Set<Int> = []
        /// New rows that are there, and rows that the app has deleted. Their numbers are negative.
        var added: Set<Int> = []
        var removed: Set<Int> = []
        var triedToRemove: Set<Int> = []
        var nextID = -1
        var isEnding = false
        var hasEnded = true
    }

    private let news: PrunedNews
    private let seed: UInt64
    private let model = Mutex(Model())

    init(_ news: PrunedNews, seed: UInt64) { (self.news, self.seed) = (news, seed) }

    func begin() {
        model.withLock { ($0.isEnding, $0.hasEnded) = (false, false) }
        Thread.detachNewThread { [self] in
            var random = SeededGenerator(seed: seed &+ UInt64(bitPattern: Int64(model.withLock(\.nextID))))
            if let connection = try? news.app() {
                while !model.withLock(\.isEnding), (try? write(on: connection, &random)) != nil {}
            }
            model.withLock { $0.hasEnded = true }
        }
    }

    /// Makes it stop, and returns what it knows.
    func end() -> Model {
        model.withLock { $0.isEnding = true }
        try? wait(for: "the app's end") { model.withLock(\.hasEnded) }
        return model.withLock { $0 }
    }

    private func write(on connection: Connection, _ random: inout SeededGenerator) throws {
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            let id = model.withLock { model in
                defer { model.nextID -= 1 }
                return model.nextID
            }
            _ = try connection.query(
                "INSERT INTO items VALUES ($1, '2026-11-19', false, 'new')", ["\(id)"])
            model.withLock { _ = $0.added.insert(id) }
        case 1:
            let found = try connection.query(
                "SELECT id FROM items WHERE id > 0 AND NOT starred ORDER BY id DESC OFFSET $1 LIMIT 1",
                ["\(Int.random(in: 0..<400, using: &random))"])
            guard found.count > 0, let id = found.integer(0, 0).map(Int.init) else { return }
            let changed = try connection.query("UPDATE items SET starred = true WHERE id = $1", ["\(id)"])
                .changes
            if changed == 1 { model.withLock { _ = $0.kept.insert(id) } }
        default:
            guard let id = model.withLock({ $0.added.randomElement(using: &random) }) else { return }
            model.withLock { model in
                model.added.remove(id)
                model.triedToRemove.insert(id)
            }
            _ = try connection.query("DELETE FROM items WHERE id = $1", ["\(id)"])
            model.withLock { _ = $0.removed.insert(id) }
        }
    }
}
