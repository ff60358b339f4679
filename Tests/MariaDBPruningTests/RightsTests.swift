import Pruning
import Retention
import TestSupport
import Testing

@testable import MariaDBPruning

@Suite(
    "The rights that a user needs",
    .enabled(if: MariaDBPrograms.installed != nil, "\(MariaDBPrograms.comment)"))
struct RightsTests {
    private static let schema =
        AppDatabase.table(9, expired: 5)
            + """
            CREATE TABLE c (id int PRIMARY KEY, t int, FOREIGN KEY (t) REFERENCES t (id) ON DELETE CASCADE);
            INSERT INTO c SELECT seq, seq FROM seq_1_to_9;

            """

    /// What a user may do, and the GRANTs that are named one after the other until the run deletes.
    private static let rights: [(rights: [String], named: [String])] = [
        (["SELECT ON DB.*"], ["GRANT PROCESS ON *.*", "GRANT DELETE ON DB.t", "GRANT DELETE ON DB.c"]),
        (["SELECT, TRIGGER ON DB.*", "PROCESS ON *.*"], ["GRANT DELETE ON DB.t", "GRANT DELETE ON DB.c"]),
        (["SELECT, TRIGGER, DELETE ON DB.*"], ["GRANT PROCESS ON *.*"]),
        (["SELECT, DELETE, TRIGGER ON DB.t", "SELECT ON DB.c", "PROCESS ON *.*"], ["GRANT DELETE ON DB.c"]),
        (["SELECT, DELETE, TRIGGER ON DB.t", "PROCESS ON *.*"], ["GRANT SELECT, DELETE, TRIGGER ON DB.c"]),
        (["SELECT, DELETE, TRIGGER ON DB.*", "PROCESS ON *.*"], []),
        (
            [],
            [
                "GRANT SELECT, DELETE, TRIGGER ON DB.t", "GRANT PROCESS ON *.*",
                "GRANT SELECT, DELETE, TRIGGER ON DB.c",
            ]
        ),
    ]

    /// Follows what is named, until a run ends in another way, and returns what was named.
    private func follow(
        _ rights: [String], in app: AppDatabase, _ run: (_ user: String) throws -> RuleReport
    ) throws -> (named: [String], end: RuleReport) {
        let user = try app.database.server.createUser()
        func grant(_ right: String) throws {
            try app.run(right.replacing("DB", with: app.database.name) + " TO \(user)@localhost")
        }
        for right in rights { try grant("GRANT \(right)") }
        var named: [String] = []
        while true {
            let report = try run(user)
            let end = " TO `\(user)`@`localhost`"
            guard report.outcome == .failed, let hint = report.failure?.hint, hint.hasSuffix(end),
                named.count < 9
            else { return (named, report) }
            #expect(report.deleted == 0, "\(report)")
            let right = String(hint.dropLast(end.count))
            named.append(right.replacing("`", with: "").replacing(app.database.name, with: "DB"))
            // As it stands, with the names that it has.
            try app.run(hint)
        }
    }

    @Test("each that is missing is named with its GRANT, which helps", arguments: rights)
    func grants(rights: [String], named: [String]) throws {
        let app = try AppDatabase(Self.schema)
        let found = try follow(rights, in: app) { try app.prune(.old(dependents: ["c"]), user: $0) }
        #expect(found.named == named)
        #expect(found.end.outcome == .done && found.end.deleted == 5, "\(found.end)")
        #expect(found.end.dependentsDeleted == 5, "\(found.end)")
        #expect(try [app.rows(), app.rows(of: "c")] == [4, 4])
    }

    @Test("a trigger that the user may not read is named with its GRANT, and then by what it is")
    func triggers() throws {
        let app = try AppDatabase(
            Self.schema + "CREATE TRIGGER g BEFORE DELETE ON c FOR EACH ROW SET @a = 1")
        let found = try follow(["SELECT, DELETE ON DB.*", "PROCESS ON *.*"], in: app) {
            try app.prune(.old(dependents: ["c"]), user: $0)
        }
        #expect(found.named == ["GRANT TRIGGER ON DB.c"])
        let cause = found.end.failure?.cause
        #expect(cause == "trigger g on c would run, which no gate of the store knows")
        #expect(try app.rows() == 9)
    }

    @Test("a mark needs UPDATE and not DELETE")
    func marks() throws {
        let app = try AppDatabase(AppDatabase.table(9, expired: 5, also: ", state int"))
        let user = try app.database.server.createUser()
        try app.run(
            "GRANT SELECT ON \(app.database.name).* TO \(user)@localhost; GRANT PROCESS ON *.* TO \(user)@localhost"
        )
        var rule = RetentionRule.old()
        rule.action = .mark([MarkedColumn("state", .integer(1))])
        let report = try app.prune(rule, user: user)
        let hint = try #require(report.failure?.hint)
        #expect(
            hint == "GRANT UPDATE (`state`) ON `\(app.database.name)`.`t` TO `\(user)`@`localhost`",
            "\(report)")
        try app.run(hint)
        #expect(try app.prune(rule, user: user).deleted == 5)
        #expect(try app.count("SELECT count(*) FROM t WHERE state = 1") == 5)
    }

    @Test("a user without any right is told the GRANT, too, and one whom nobody made the CREATE USER")
    func nothing() throws {
        let app = try AppDatabase(AppDatabase.table(3))
        let user = try app.database.server.createUser()
        let report = try app.prune(user: user)
        #expect(
            report.outcome == .failed && report.failure?.cause.contains("(error 1044)") == true, "\(report)")
        let unknown = try app.prune(user: "nobody_made_it")
        #expect(
            unknown.failure?.hint?.hasPrefix("CREATE USER `nobody_made_it`@`localhost` IDENTIFIED VIA")
                == true,
            "\(unknown)")
    }

    @Test("a table or a column that the catalog hides is not told as one that is missing")
    func hidden() throws {
        let app = try AppDatabase(
            AppDatabase.table(9, expired: 5)
                + "CREATE TABLE k (id int PRIMARY KEY); CREATE TABLE p (t int, FOREIGN KEY (t) REFERENCES t (id));"
        )
        var rule = RetentionRule.old()
        rule.protect = ["EXISTS (SELECT 1 FROM k WHERE k.id = t.id)"]
        rule.keptBy = [ColumnReference(table: "p", column: "t")]
        for right in ["SELECT ON DB.other", "SELECT (id) ON DB.t"] {
            let rights = [right, "PROCESS ON *.*"]
            try app.run("CREATE TABLE IF NOT EXISTS other (id int)")
            let found = try follow(rights, in: app) { try app.prune(rule, dryRun: true, user: $0) }
            let first = right.contains("other") ? "SELECT, DELETE, TRIGGER" : "SELECT"
            #expect(found.named.first == "GRANT \(first) ON DB.t", "\(found)")
            #expect(found.named.contains("GRANT SELECT ON DB.k"), "\(found)")
            #expect(found.named.contains("GRANT SELECT ON DB.p"), "\(found)")
            #expect(found.end.outcome == .done && found.end.expired == 5, "\(found)")
        }
        let user = try app.database.server.createUser()
        try app.run("GRANT SELECT ON \(app.database.name).other TO \(user)@localhost")
        try app.run("GRANT PROCESS ON *.* TO \(user)@localhost")
        let missing = try app.prune(.old("othr"), user: user)
        #expect(missing.failure?.hint == "did you mean other?", "\(missing)")
    }

    @Test("who may not put rows back is told the GRANT before any is")
    func restoring() throws {
        let app = try AppDatabase(AppDatabase.table(9, expired: 5))
        let user = try app.database.server.createUser()
        try app.run(
            """
            GRANT SELECT, DELETE, TRIGGER ON \(app.database.name).* TO \(user)@localhost;
            GRANT PROCESS ON *.* TO \(user)@localhost
            """)
        #expect(try app.prune(.old(archives: true), user: user).deleted == 5)
        let hint = try #require(try app.restore(user: user).first?.failure?.hint)
        #expect(hint == "GRANT INSERT ON `\(app.database.name)`.`t` TO `\(user)`@`localhost`")
        #expect(try app.rows() == 4)
        try app.run(hint)
        #expect(try app.restore(user: user).map(\.failure?.hint) == [nil])
        #expect(try app.rows() == 9)
    }
}
