import TestSupport
import Testing

@testable import PruneBenchmark

@Suite(.enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct ServerJobTests {
    private static let rows = 10_000

    @Test(arguments: [
        (ServerRecipe.Table.articles, ExpiredShare.half, 4_400), (.articles, .onePercent, 88),
        (.records, .half, 5_000), (.records, .none, 0), (.days(10), .half, 5_000),
    ])
    func `one statement deletes the rows that must go, told by how they were made`(
        table: ServerRecipe.Table, share: ExpiredShare, expired: Int
    ) throws {
        let job = ServerJob(recipe: ServerRecipe(table: table, rows: Self.rows), share: share)
        let database = try PostgreSQLServer.shared.createDatabase(job.recipe.statements)
        let staying = Self.rows - expired
        #expect(job.expired == expired)
        #expect(try database.psql(job.count) == "\(expired)|\(expired)|\(staying)|\(Self.rows)")
        try database.psql(job.statement)
        #expect(try database.psql(job.count) == "0|0|\(staying)|\(staying)")
    }

    @Test func `a loop deletes the same`() throws {
        let job = ServerJob(recipe: ServerRecipe(rows: Self.rows))
        let database = try PostgreSQLServer.shared.createDatabase(job.recipe.statements)
        try database.psql(job.loop(limit: 1_000))
        #expect(try database.psql(job.count) == "0|0|5600|5600")
    }

    @Test func `an article takes 350 bytes and has four indexes`() throws {
        let recipe = ServerRecipe(rows: Self.rows)
        let database = try PostgreSQLServer.shared.createDatabase(recipe.statements)
        let shape = try database.psql(
            """
            SELECT avg(pg_column_size(e.*)) BETWEEN 345 AND 355,
                (SELECT count(*) FROM pg_indexes WHERE tablename = 'entry') FROM entry e
            """)
        #expect(shape == "t|4")
    }
}
