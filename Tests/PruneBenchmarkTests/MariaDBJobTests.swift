import TestSupport
import Testing

@testable import PruneBenchmark

@Suite(.enabled(if: MariaDBPrograms.installed != nil, "\(MariaDBPrograms.comment)"))
struct MariaDBJobTests {
    private static let job = MariaDBJob(rows: 10_000)

    @Test func `one statement deletes the rows that must go, told by how they were made`() throws {
        let job = Self.job
        let database = try MariaDBServer.shared.createDatabase(job.statements)
        #expect(job.expired == 4_400)
        #expect(try database.run(job.count) == [["4400", "4400", "5600", "10000"]])
        try database.run(job.statement)
        #expect(try database.run(job.count) == [["0", "0", "5600", "5600"]])
    }

    @Test func `a loop deletes the same, and says how long it took at most`() throws {
        let database = try MariaDBServer.shared.createDatabase(Self.job.statements)
        let said = try database.run(Self.job.loop(limit: 1_000)).first?.first ?? nil
        #expect(said?.wholeMatch(of: /longest [0-9.e+-]+ ms/) != nil)
        #expect(try database.run(Self.job.count) == [["0", "0", "5600", "5600"]])
    }

    @Test func `a copy has the rows and the indexes, and another one can follow it`() throws {
        let directory = try TemporaryDirectory()
        let server = try MeasuredMariaDB(in: directory.path, progress: Progress(), isDurable: false)
        for _ in 0..<2 {
            let copy = try server.copy(of: Self.job)
            #expect(try copy.run(Self.job.count) == [["4400", "4400", "5600", "10000"]])
            let indexes = """
                SELECT count(DISTINCT index_name) FROM information_schema.statistics
                WHERE table_schema = '\(copy.database)' AND table_name = 'entry'
                """
            #expect(try copy.run(indexes) == [["4"]])
            try copy.run(Self.job.statement)
        }
    }

    @Test func `the app updates rows and throws what the server says against it`() throws {
        let database = try MariaDBServer.shared.createDatabase(Self.job.statements)
        let socket = try StatementSocket(to: .shared, database: database.name)
        try socket.run("UPDATE entry SET visits = 7 WHERE id = 3")
        #expect(try database.run("SELECT visits FROM entry WHERE id = 3") == [["7"]])
        #expect(throws: BenchmarkError.self) { try socket.run("UPDATE nothing SET visits = 7") }
        try socket.run("UPDATE entry SET visits = 8 WHERE id = 3")
        #expect(try database.run("SELECT visits FROM entry WHERE id = 3") == [["8"]])
    }
}
