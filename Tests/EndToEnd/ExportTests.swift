import Foundation
import TestSupport
import Testing

/// `pruned export`: what left, readable.
@Suite struct ExportTests {
    private let state: StateDirectory

    init() throws { state = try StateDirectory() }

    /// A store with a value of each kind, and a second table.
    private func runOnFile() throws -> (run: String, file: String) {
        let path = state.sandbox.path + "/app.sqlite"
        try Database(path: path, prefix: []).query(
            #"""
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, "the, ""name""" TEXT, real REAL, blob BLOB);
            INSERT INTO t VALUES
                (9223372036854775807, 1000000000, 'a "b", c' || char(10) || 'd', 0.1, x'00ff10'),
                (2, 1000000000, NULL, 9e999, NULL), (3, 1000000000, '', 1e300, x''),
                (4, 1000000000, CAST(x'ff41' AS TEXT), NULL, NULL), (5, 1000000000, 'base64:x', 2, NULL);
            INSERT INTO t (id, at) VALUES (6, unixepoch());
            CREATE TABLE u (id TEXT PRIMARY KEY, at INTEGER);
            INSERT INTO u VALUES ('ü', 1000000000), ('v', unixepoch());
            """#)
        let file = try state.configuration(
            """
            store.app.path = "\(path)"
            guard.max_share = 1
            rule.ts = { table = "t", age_column = "at", keep = "30d", archive = true }
            rule.us = { table = "u", age_column = "at", keep = "30d", archive = true }
            """)
        let report = try state.pruned("--run-now", "--trust-clock", "--json", "--config", file).run()
            .checked().report()
        try FileManager.default.removeItem(atPath: path)
        return (report.runId, file)
    }

    private func export(_ run: String, _ file: String, _ options: String...) throws -> EndedProgram {
        var program = state.pruned("export", run, "--config", file)
        program.arguments += options
        return try program.run()
    }

    @Test("each row is a line of JSON with its numbers exact, also where the store is gone")
    func json() throws {
        let (run, file) = try runOnFile()
        let text = try export(run, file).checked().output
        let head = #"{"rule":"ts","store":"app","table":"t","action":"delete","row":"#
        let name = #""the, \u0022name\u0022":"#
        let lines = Set(text.split(separator: "\n").map(String.init))
        #expect(
            lines == [
                head + #"{"id":9223372036854775807,"at":1000000000,"# + name
                    + #""a \u0022b\u0022, c\u000ad","real":0.1,"blob":{"base64":"AP8Q"}}}"#,
                head + #"{"id":2,"at":1000000000,"# + name + #"null,"real":{"real":"inf"},"blob":null}}"#,
                head + #"{"id":3,"at":1000000000,"# + name + #""","real":1e+300,"blob":{"base64":""}}}"#,
                head + #"{"id":4,"at":1000000000,"# + name + #"{"base64":"/0E="},"real":null,"blob":null}}"#,
                head + #"{"id":5,"at":1000000000,"# + name + #""base64:x","real":2.0,"blob":null}}"#,
                #"{"rule":"us","store":"app","table":"u","action":"delete","row":{"id":"ü","at":1000000000}}"#,
            ], "\(text)")
        for line in lines { _ = try JSONSerialization.jsonObject(with: Data(line.utf8)) }
    }

    @Test("CSV has a header for each table, and tells NULL, empty texts and bytes apart")
    func csv() throws {
        let (run, file) = try runOnFile()
        let text = try export(run, file, "--format", "csv").checked().output
        let parts = text.components(separatedBy: "\r\n\r\n")
        #expect(parts.count == 2 && parts[1] == "table,id,at\r\nu,ü,1000000000\r\n", "\(text)")
        let rows = Set(parts[0].components(separatedBy: "\r\n"))
        #expect(
            rows == [
                #"table,id,at,"the, ""name""",real,blob"#,
                "t,9223372036854775807,1000000000,\"a \"\"b\"\", c\nd\",0.1,base64:AP8Q",
                "t,2,1000000000,,inf,", "t,3,1000000000,\"\",1e+300,base64:",
                "t,4,1000000000,base64:/0E=,,", "t,5,1000000000,base64:YmFzZTY0Ong=,2.0,",
            ], "\(text)")
        #expect(try export(run, file, "--format", "csv", "--rule", "us").checked().output == parts[1])
    }

    @Test("an unknown run, rule or format is a usage error that names the known ones")
    func unknown() throws {
        let (run, file) = try runOnFile()
        #expect(try export("x", file).status == 64)
        let ended = try export(run, file, "--rule", "none")
        #expect(ended.status == 64 && ended.errors.contains("it has rows of ts, us"), "\(ended)")
        #expect(try export(run, file, "--format", "xml").status == 64)
    }

    @Test("hundreds of thousands of rows come in pieces, each row once and whole")
    func many() throws {
        let state = try StateDirectory.holding(expired: 200_000, fresh: 10)
        let before = Set(
            try state.store.query("SELECT id FROM read_record WHERE created_at < unixepoch() - 86400 * 99")
                .split(separator: "\n").map(String.init))
        let file = try state.readRecordsFile("archive = true\nguard.max_share = 1")
        let report = try state.pruned("--run-now", "--trust-clock", "--json", "--config", file).run()
            .checked().report()
        let text = try state.pruned("export", report.runId, "--config", file).run().checked().output
        let ids = text.split(separator: "\n").compactMap { line in
            (try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]).flatMap {
                ($0["row"] as? [String: Any])?["id"] as? String
            }
        }
        #expect(ids.count == 200_000 && Set(ids) == before)
    }

    @Test(
        "of a server each value is the server's own text",
        .enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
    func server() throws {
        let app = ServerApp(
            preset: "miniflux", rule: "posts",
            schema: "CREATE TABLE posts (id bigint PRIMARY KEY, at timestamptz, n numeric, b bytea, s text)",
            rows: """
                INSERT INTO posts VALUES (1, '2001-02-03 04:05:06+00', 12345678901234567890.10, '\\x00ff', 'ä"'),
                    (2, '2001-02-03 04:05:06.7+00', NULL, NULL, ''),
                    (3, now(), 0, NULL, '')
                """, table: "posts", shown: "SELECT id FROM posts")
        let prepared = try ConfiguredServer(app)
        let file = try prepared.state.configuration(
            """
            store.app.url = "\(prepared.url)"
            guard.max_share = 1
            rule.posts = { table = "posts", age_column = "at", keep = "30d", archive = true }
            """)
        let report = try prepared.state.pruned("--run-now", "--trust-clock", "--json", "--config", file).run()
            .checked()
            .report()
        try prepared.psql("DROP TABLE posts")
        let text = try prepared.state.pruned("export", report.runId, "--config", file).run().checked().output
        let head = #"{"rule":"posts","store":"app","table":"posts","action":"delete","row":"#
        #expect(
            Set(text.split(separator: "\n").map(String.init)) == [
                head
                    + #"{"id":"1","at":"2001-02-03 04:05:06+00","n":"12345678901234567890.10","b":"\u005cx00ff","s":"ä\u0022"}}"#,
                head + #"{"id":"2","at":"2001-02-03 04:05:06.7+00","n":null,"b":null,"s":""}}"#,
            ], "\(text)")
    }
}
