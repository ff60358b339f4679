import Foundation
import TestSupport
import Testing

/// `pruned suggest URL`: from a PostgreSQL database to a configuration.
@Suite(.enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct SuggestedDatabasesTests {
    private static let posts = ServerApp(
        preset: "miniflux", rule: "posts",
        schema: """
            CREATE TABLE posts (id bigserial PRIMARY KEY, created_at timestamptz NOT NULL, price bigint, seen boolean,
                starred boolean NOT NULL, labels text[] NOT NULL DEFAULT '{}');
            CREATE INDEX ON posts (created_at);
            CREATE TABLE marks (post bigint);
            CREATE TABLE visits (id bigserial PRIMARY KEY, at timestamp NOT NULL, path text);
            """,
        rows: """
            INSERT INTO posts (created_at, price, seen, starred, labels)
            SELECT now() - i * interval '1 hour' - interval '30 minutes', 1200000000 + i * 20000, i > 10, i % 100 = 0,
                CASE i % 50 WHEN 3 THEN '{x}' ELSE '{}' END::text[] FROM generate_series(1, 12000) i;
            INSERT INTO marks SELECT i * 100 FROM generate_series(1, 120) i;
            INSERT INTO visits (at, path) SELECT now() AT TIME ZONE 'UTC' - i * interval '1 hour', '/' FROM generate_series(1, 2000) i
            """,
        table: "posts", shown: "SELECT id FROM posts")

    @Test(
        "the way to a first run: what is printed is a configuration that check accepts and that prunes as it says"
    )
    func way() throws {
        let prepared = try ConfiguredServer(Self.posts)
        let ended = try prepared.suggest().checked()
        let output = ended.output
        #expect(output.split(separator: "\n").allSatisfy { $0.hasPrefix("#") }, "\(ended)")
        #expect(output.contains("\n# url = \"\(prepared.url)\"\n"), "\(ended)")
        #expect(
            output.contains(#/\n# Table posts: 12,000 rows, about [123][0-9] a day, about [0-9.]+ [kM]B\n/#),
            "\(output)")
        #expect(output.contains(#/\n#   created_at +20[0-9-]+ to 20[0-9-]+\n/#), "\(output)")
        #expect(output.contains(#/\n#   seen +1 in 11,990 rows, 0 in 10\n/#), "\(output)")
        #expect(
            output.contains(#/\n#   marks.post +has the keys of some rows, by its values\n/#), "\(output)")
        #expect(output.contains(#/\n# column_zone = "UTC" +# the zone/#), "\(output)")
        let file = try prepared.state.configuration(
            "[guard]\nmax_share = 1\n" + SuggestedText(output).inForce)
        let check = try prepared.state.pruned("check", "--config", file).run()
        #expect(check.status == 0, "\(check)")
        let name = try #require(output.firstMatch(of: #/\[rule\.([^\]]*-posts)\]/#)).output.1
        let said = try #require(
            output.firstMatch(of: #/\n# keep += "1y" +# ([0-9,]+) rows would go/#)
        ).output.1
        var program = prepared.state.pruned("--run-now", "--json", "--config", file)
        program.arguments += ["--rule", String(name)]
        let report = try program.run().checked().report()
        #expect(report[String(name)]?.deleted == Int(said.replacing(",", with: "")), "\(output)")
        #expect(try prepared.psql("SELECT count(*) FROM marks JOIN posts ON id = post") == "120")
    }

    @Test("names with dots, dashes and blanks are in rules that check accepts, and keep what refers to a row")
    func names() throws {
        let prepared = try ConfiguredServer(
            Self.posts,
            """
            CREATE TABLE "two words" (id bigserial PRIMARY KEY, "x.y" bigint, "a-b" bigint, "c ""d" bigint);
            CREATE TABLE "do.t" (k bigint REFERENCES posts (id), "po.st" bigint REFERENCES posts (id));
            CREATE INDEX ON "do.t" (k);
            CREATE INDEX ON "do.t" ("po.st");
            CREATE INDEX ON "two words" ("x.y");
            CREATE TABLE "visi.ts" (id bigserial PRIMARY KEY, "a.t" timestamptz NOT NULL);
            INSERT INTO "two words" ("x.y", "a-b", "c ""d")
                SELECT 5 + i * 100, 7 + i * 100, 9 + i * 100 FROM generate_series(60, 119) i;
            INSERT INTO "do.t" SELECT 11 + i * 100, 13 + i * 100 FROM generate_series(60, 118) i;
            INSERT INTO "visi.ts" ("a.t") SELECT now() - i * interval '1 hour' FROM generate_series(1, 2000) i
            """)
        let suggested = try prepared.suggest().checked()
        let proposal = SuggestedText(suggested.output)
        #expect(proposal.rules.count == 3, "\(suggested)")
        for rule in proposal.rules {
            let file = try prepared.state.configuration(proposal.store + "\n" + rule)
            let check = try prepared.state.pruned("check", "--config", file).run()
            #expect(check.status == 0, "\(suggested)\n\(check)")
        }
        let file = try prepared.state.configuration("[guard]\nmax_share = 1\n" + proposal.inForce)
        _ = try prepared.state.pruned("--run-now", "--config", file).run().checked()
        let left = try prepared.psql(
            """
            SELECT count(*) FROM posts WHERE id IN (SELECT unnest(ARRAY["x.y", "a-b", "c ""d"]) FROM "two words"
                UNION ALL SELECT unnest(ARRAY[k, "po.st"]) FROM "do.t")
            """)
        #expect(left == "298", "\(suggested)")
    }

    @Test("a password stands nowhere in what is printed")
    func password() throws {
        let prepared = try ConfiguredServer(Self.posts)
        for url in ["postgresql://\(prepared.role):s3cret@", "postgresql://nobody-\(prepared.role):s3cret@"] {
            let place = prepared.url.replacing("postgresql://\(prepared.role)@", with: url)
            let ended = try prepared.state.pruned(
                "suggest", place, "--config", try prepared.state.configuration("")
            ).run()
            #expect(!(ended.output + ended.errors).contains("s3cret"), "\(ended)")
            #expect((ended.output + ended.errors).contains("***"), "\(ended)")
        }
    }

    @Test("root asks a server as the owner of the state directory, as runs do", .root)
    func root() throws {
        let prepared = try ConfiguredServer(Self.posts)
        _ = try prepared.state.sandbox.makeDirectory("state")
        try AnotherUser.nobody.own(prepared.state.path, mode: 0o750)
        let url = prepared.url.replacing("//\(prepared.role)@", with: "//")
        let refused = try prepared.state.pruned(
            "suggest", url, "--config", try prepared.state.configuration("")
        ).run()
        #expect(refused.errors.contains("role \"nobody\" does not exist"), "\(refused)")
    }

    @Test("what cannot be looked at is said with the reason, and a superuser is refused")
    func refusals() throws {
        let prepared = try ConfiguredServer(Self.posts, "CREATE TABLE hidden (at timestamptz)")
        try prepared.psql("REVOKE ALL ON hidden FROM \(prepared.role)")
        let ended = try prepared.suggest().checked()
        #expect(ended.output.contains("hidden: permission denied"), "\(ended)")
        let configuration = try prepared.state.configuration("")
        let places = [
            (prepared.database.url, "is a superuser"), ("postgresql://%zz", "is no connection string"),
            ("host=/nowhere dbname=x", "cannot connect"),
        ]
        for (place, reason) in places {
            let refused = try prepared.state.pruned("suggest", place, "--config", configuration).run()
            #expect(refused.status != 0 && refused.output.isEmpty, "\(refused)")
            #expect(refused.errors.contains(reason), "\(refused)")
        }
    }
}
