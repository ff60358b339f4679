import TestSupport
import Foundation
import Testing

/// Articles that were pruned and that their source delivers again.
@Suite struct ReturnTests {
    private let state: StateDirectory
    private let store: Database
    private let metrics: String
    private let file: String

    init() throws {
        state = try StateDirectory()
        store = Database(path: try state.sandbox.makeDirectory("app") + "/news.db")
        try store.query(
            """
            CREATE TABLE article (id INTEGER PRIMARY KEY, guid TEXT, at INTEGER, deleted INTEGER NOT NULL DEFAULT 0);
            WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 1500)
            INSERT INTO article (guid, at) SELECT 'g' || i, unixepoch() - 40 * 86400 FROM n;
            INSERT INTO article (guid, at) VALUES ('n', unixepoch());
            """)
        metrics = try state.sandbox.makeDirectory("metrics") + "/pruned.prom"
        file = try state.configuration(Self.configuration(of: store, metrics))
    }

    private static func configuration(
        of store: Database, _ metrics: String, _ more: String = "identity = \"guid\""
    ) -> String {
        """
        metrics_file = "\(metrics)"
        [guard]
        max_share = 1
        [store.news]
        path = "\(store.path)"
        [rule.articles]
        table = "article"
        age_column = "at"
        keep = "30d"
        archive = true
        \(more)
        """
    }

    @discardableResult
    private func pruned(_ arguments: String...) throws -> EndedProgram {
        var program = state.pruned("--config", file)
        program.arguments = arguments + program.arguments
        return try program.run().checked()
    }

    private func deliver() throws {
        try store.query(
            "INSERT INTO article (guid, at) SELECT 'g' || value, unixepoch() FROM json_each('[3, 7, 1200]')")
    }

    private static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test("a run counts them, says what helps, and so do status, history and metrics")
    func said() throws {
        let first = try #require(pruned("--run-now", "--json").report()["articles"])
        #expect(first.deleted == 1_500 && first.cameBack == nil)
        try deliver()
        let told = Self.oneLine(try pruned("--run-now").output)
        let text =
            "articles: 3 rows that were deleted are there again; its source still delivers them: set source_window"
        #expect(told.contains(text), "\(told)")

        #expect(try pruned("status", "--json").statusReport()["articles"]?.cameBack == 3)
        let status = Self.oneLine(try pruned("status").output)
        #expect(
            status.contains(
                "articles: 3 rows that were deleted are there again its source still delivers them"),
            "\(status)")
        let history = try pruned("history").output
        #expect(history.contains("3 rows that were deleted are there again"), "\(history)")
        #expect(try pruned("history", "--json").output.contains("\"came_back\":3"))
        let series = "pruned_rows_came_back_total{rule=\"articles\"}"
        #expect(try MetricsReading(metrics)[series] == 3)

        let third = try #require(pruned("--run-now", "--json").report()["articles"])
        #expect(third.cameBack == 0)
        #expect(try pruned("status", "--json").statusReport()["articles"]?.cameBack == 0)
        #expect(try MetricsReading(metrics)[series] == 3)
        #expect(try !pruned("--run-now").output.contains("again"))
    }

    @Test("the service says it once, with what helps, though the run deletes nothing")
    func service() throws {
        try pruned("--run-now", "--json")
        try deliver()
        try state.setLastRuns("0")
        let service = try Service(on: state, arguments: ["--config", file])
        try service.waitForFirstRun()
        try service.stop()
        let errors = service.process.errors
        #expect(errors.contains("3 rows that were deleted are there again"), "\(errors)")
        #expect(errors.contains("set source_window"), "\(errors)")
        #expect(try pruned("history", "--json").output.contains("\"came_back\":3"))
    }

    @Test(
        "marks that an app takes away count, with another advice; without identity nothing is said to be known"
    )
    func marks() throws {
        let more = "identity = \"guid\"\naction = { set = { deleted = 1 } }"
        _ = try state.configuration(Self.configuration(of: store, metrics, more))
        try pruned("--run-now")
        try store.query("UPDATE article SET deleted = 0 WHERE id <= 12")
        let told = Self.oneLine(try pruned("--run-now").output)
        #expect(
            told.contains("articles: 12 rows that were marked are there again; its app takes the mark away"),
            "\(told)")
        #expect(try pruned("status").output.contains("12 rows that were marked are there again"))

        _ = try state.configuration(Self.configuration(of: store, metrics, ""))
        #expect(try pruned("--run-now", "--json").output.contains("\"came_back\":null"))
        #expect(try !String(contentsOfFile: metrics, encoding: .utf8).contains("came_back"))
    }
}
