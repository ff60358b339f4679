import Foundation
import Pruning
import TestSupport
import Retention
import Testing

@testable import PostgreSQLPruning

/// The answer to a COMMIT is lost.
@Suite(
    "A commit whose answer is lost",
    .enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct LostCommitTests {
    private let news: PrunedNews
    private let proxy: CuttingProxy

    init() throws {
        news = try PrunedNews()
        proxy = try CuttingProxy(before: news.database.server)
    }

    private func store() throws -> PostgreSQLStore {
        try news.store(at: proxy.url(database: news.database.name, user: news.role))
    }

    @Test(
        "A batch that the server has committed counts, and the run goes on",
        arguments: [CuttingProxy.Fault.inFlight, .afterAnswer, .inAnswer])
    func committed(fault: CuttingProxy.Fault) throws {
        let proxy = proxy
        let report = try news.run(on: try store()) { if $0 == 2 { proxy.cut(at: .init(fault)) } }
        #expect(proxy.cuts == 1)
        #expect(report.outcome == .done, "\(report)")
        #expect(report.deleted == news.expired)
        #expect(try news.gone() == news.expired)
    }

    @Test("A batch that the server has not committed does not count, and the next run goes on")
    func rolledBack() throws {
        let proxy = proxy
        let report = try news.run(on: try store()) { if $0 == 2 { proxy.cut(at: .init(.before)) } }
        #expect(proxy.cuts == 1)
        #expect(report.failure?.kind == .fault(.inputOutput), "\(report)")
        #expect(report.deleted > 0)
        #expect(try Int(report.deleted) == news.gone())
        let next = try news.run(on: try store())
        #expect(next.outcome == .done)
        #expect(try news.gone() == news.expired)
    }

    @Test("When nobody can be asked, the report says that it is unknown")
    func unknown() throws {
        let proxy = proxy
        let report = try news.run(on: try store()) {
            guard $0 == 2 else { return }
            proxy.cut(at: .init(.afterAnswer))
            proxy.refuse(true)
        }
        #expect(report.outcome == .failed)
        #expect(
            report.failure?.cause.contains("unknown whether the last batch was committed") == true,
            "\(report)")
        let rest = try news.gone() - Int(report.deleted)
        #expect(rest > 0)
        #expect(report.failure?.hint?.contains("its \(rest) rows") == true, "\(report)")
        proxy.refuse(false)
        #expect(try news.run(on: try store()).outcome == .done)
        #expect(try news.gone() == news.expired)
    }

    @Test("A stop does not wait for a commit that nobody answers, and the count is right")
    func silence() throws {
        let (proxy, control, deed) = (proxy, RunControl(monotonic: systemMonotonic), Deed())
        let report = try news.run(on: try store(), control: control) {
            guard $0 == 2 else { return }
            proxy.cut(at: .init(.silence))
            Thread.detachNewThread {
                deed.perform { try wait(for: "the commit") { proxy.cuts == 1 } }
                control.requestStop("stopped by the test")
            }
        }
        try deed.check()
        // The commit may have been that of the last batch.
        let isWhole = Int(report.deleted) == news.expired
        #expect(report.outcome == (isWhole ? .done : .stopped), "\(report)")
        #expect(report.deleted > 0)
        #expect(try Int(report.deleted) == news.gone())
    }

    // MARK: - Numbers that are used again

    private func connection(_ url: String) throws -> Connection {
        try Connection(Address(text: url, place: "here"), RunControl(monotonic: systemMonotonic))
    }

    /// Begins a transaction that never ends, and returns its number and the server's identity.
    private func begun(_ connection: Connection) throws -> (transaction: String, server: ServerIdentity) {
        try connection.run(TransactionKind.writing(lockTimeout: .seconds(1), statementTimeout: nil).begin)
        let server = try #require(ServerIdentity(try connection.run(ServerIdentity.question)))
        return (try connection.query("SELECT pg_current_xact_id()").text(0, 0) ?? "", server)
    }

    /// Commits others' transactions up to that number.
    private func use(_ transaction: String, on connection: Connection) throws {
        while true {
            let next = try connection.query("SELECT pg_current_xact_id()").integer(0, 0) ?? 0
            if next >= Int64(transaction) ?? 0 { return }
        }
    }

    @Test("After a promotion, the number is somebody else's, and the fate is unknown")
    func promotion() throws {
        let primary = try PostgreSQLServer.start()
        let standby = try primary.standby()
        let role = try primary.createRole()
        try primary.waitForReplay(by: standby)
        let (transaction, server) = try begun(try connection(primary.url(user: role)))
        try primary.stop(.immediate)
        try standby.promote()
        let new = try connection(standby.url(user: role))
        try use(transaction, on: new)
        #expect(try new.query("SELECT pg_xact_status($1::xid8)", [transaction]).text(0, 0) == "committed")
        #expect(try new.fate(of: transaction, on: server, until: systemMonotonic()) == .unknown)
    }

    @Test("After a crash that lost the log's end, the number is somebody else's, and the fate is unknown")
    func crash() throws {
        let primary = try PostgreSQLServer.start()
        let role = try primary.createRole()
        let (transaction, server) = try begun(try connection(primary.url(user: role)))
        try primary.restart(.immediate)
        let new = try connection(primary.url(user: role))
        try use(transaction, on: new)
        #expect(try new.query("SELECT pg_xact_status($1::xid8)", [transaction]).text(0, 0) == "committed")
        #expect(try new.fate(of: transaction, on: server, until: systemMonotonic()) == .unknown)
    }

    @Test("A transaction that goes on is asked for again, and is then known")
    func inProgress() throws {
        let open = try connection(news.database.url(user: news.role))
        let (transaction, server) = try begun(open)
        let new = try connection(news.database.url(user: news.role))
        #expect(try new.fate(of: transaction, on: server, until: systemMonotonic()) == .unknown)
        try open.run("COMMIT")
        #expect(try new.fate(of: transaction, on: server, until: systemMonotonic()) == .committed)
    }
}
