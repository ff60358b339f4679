import Pruning
import Retention
import TestSupport
import Testing

@testable import MariaDBPruning

@Suite(
    "What a MariaDB server does otherwise than one would think",
    .enabled(if: MariaDBPrograms.installed != nil, "\(MariaDBPrograms.comment)"))
struct ServerOddityTests {
    private static let lockedPlaces = ["id = 1", "id = 6000", "id % 2 = 0", "id BETWEEN 1000 AND 3000"]

    /// A DELETE with many keys reads the whole table, and meets the locks of rows that it does not want.
    @Test(
        "all rows go but those that others have locked, and the failure says so", arguments: lockedPlaces,
        AccessPath.allCases)
    func locked(place: String, path: AccessPath) throws {
        let app = try AppDatabase(AppDatabase.table(6_000, also: ", INDEX (at)"))
        let locked = try app.count("SELECT count(*) FROM t WHERE \(place)")
        let client = try app.database.client()
        try client.run("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
        try client.run("BEGIN")
        try client.run("SELECT id FROM t FORCE INDEX (PRIMARY) WHERE \(place) FOR UPDATE")
        let report = try app.prune(accessPath: path)
        #expect(report.outcome == .skipped && report.failure?.kind == .fault(.locked), "\(report)")
        #expect(Int(report.deleted) == 6_000 - locked, "\(report)")
        try client.run("ROLLBACK")
        #expect(try Int(app.prune(accessPath: path).deleted) == locked)
    }

    /// (k, side) IN ((_utf8mb4 X'C3A4', 1)) is not true of the row: the server compares no row by parts in another set.
    @Test("rows with a composite key of latin1 text go, and come back", arguments: AccessPath.allCases)
    func latinKeys(path: AccessPath) throws {
        let app = try AppDatabase(
            """
            CREATE TABLE t (k varchar(50) CHARACTER SET latin1 COLLATE latin1_bin, side int, at timestamp NULL,
                PRIMARY KEY (k, side), INDEX (at));
            INSERT INTO t VALUES ('ä', 1, '2026-01-01'), ('€', 1, '2026-01-01'), (X'8D', 1, '2026-01-01'), ('ä', 2, '2026-11-19')
            """)
        let before = try app.run("SELECT HEX(k), side, at FROM t ORDER BY 1, 2")
        let report = try app.prune(.old(archives: true), accessPath: path)
        #expect(report.outcome == .done && report.deleted == 3, "\(report)")
        #expect(try app.restore().map(\.outcome) == [.done])
        #expect(try app.run("SELECT HEX(k), side, at FROM t ORDER BY 1, 2") == before)
    }

    /// An insertion without NO_AUTO_VALUE_ON_ZERO gives the row another number.
    @Test("a row with the number 0 comes back with it")
    func zero() throws {
        let app = try AppDatabase(
            """
            CREATE TABLE t (id int AUTO_INCREMENT PRIMARY KEY, at timestamp NULL);
            SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO';
            INSERT INTO t VALUES (0, '2026-01-01'), (7, '2026-01-01')
            """)
        #expect(try app.prune(.old(archives: true)).deleted == 2)
        #expect(try app.restore().map(\.outcome) == [.done])
        #expect(try app.run("SELECT id FROM t ORDER BY id") == [["0"], ["7"]])
    }

    /// Texts are archived in utf8mb4, from which not every character set gets the same bytes again.
    @Test(
        "texts of every character set come back with the same bytes",
        arguments: [
            ("sjis", "5C"), ("sjis", "8160"), ("cp932", "81CA"), ("cp932", "FA54"), ("euckr", "A2E8"),
            ("gbk", "A2A1"), ("big5", "A15A"), ("ujis", "A1C0"), ("cp1251", "98"), ("cp1250", "81"),
            ("greek", "A4"), ("hebrew", "A1"), ("tis620", "A0"), ("latin1", "81"), ("ascii", "7F"),
        ])
    func characterSets(name: String, bytes: String) throws {
        let app = try AppDatabase(
            """
            CREATE TABLE t (id int PRIMARY KEY, at timestamp NULL, v varchar(9) CHARACTER SET \(name));
            INSERT INTO t VALUES (1, '2026-01-01', X'\(bytes)')
            """)
        #expect(try app.run("SELECT HEX(v) FROM t") == [[bytes]])
        #expect(try app.prune(.old(archives: true)).deleted == 1)
        #expect(try app.restore().map(\.outcome) == [.done])
        #expect(try app.run("SELECT HEX(v) FROM t") == [[bytes]])
    }

    /// What a server that was not strict has written is no value of the type.
    @Test("an ENUM without a value stays in the archive, and the others come back")
    func emptyEnum() throws {
        let app = try AppDatabase(
            """
            CREATE TABLE t (id int PRIMARY KEY, at timestamp NULL, v enum('a', 'b'));
            INSERT INTO t VALUES (1, '2026-01-01', 'c'), (2, '2026-01-01', 'a')
            """)
        #expect(try app.prune(.old(archives: true)).deleted == 2)
        #expect(try app.restore().map(\.progress.skipped) == [[.refused: 1]])
        #expect(try app.run("SELECT v FROM t ORDER BY id") == [["a"]])
    }

    /// UPDATE gives such a column the current time, unless it sets it.
    @Test("a mark changes no column with ON UPDATE, and is taken back")
    func onUpdate() throws {
        let app = try AppDatabase(
            """
            CREATE TABLE t (id int PRIMARY KEY, at timestamp NULL ON UPDATE CURRENT_TIMESTAMP, state int);
            INSERT INTO t VALUES (1, '2026-01-01', 0)
            """)
        var rule = RetentionRule.old(archives: true)
        rule.action = .mark([MarkedColumn("state", .integer(1))])
        #expect(try app.prune(rule).deleted == 1)
        #expect(try app.run("SELECT at, state FROM t") == [["2026-01-01 00:00:00", "1"]])
        #expect(try app.restore().map(\.outcome) == [.done])
        #expect(try app.run("SELECT at, state FROM t") == [["2026-01-01 00:00:00", "0"]])
    }

    /// The gate sees a trigger that does something else, and the schema of a newer version.
    @Test("behind a gate that knows a trigger, a missing TRIGGER is named")
    func gatedTrigger() throws {
        let app = try AppDatabase(
            AppDatabase.table(9) + "CREATE TRIGGER g BEFORE DELETE ON t FOR EACH ROW SET @a = 1")
        let gate = try app.gate(allowing: ["g"])
        let user = try app.database.createUser("SELECT, DELETE")
        try app.run("GRANT PROCESS ON *.* TO \(user)@localhost")
        let report = try app.prune(gate: gate, user: user)
        let grant = "GRANT TRIGGER ON `\(app.database.name)`.`t` TO `\(user)`@`localhost`"
        #expect(report.failure?.hint == grant, "\(report)")
    }

    @Test(
        "a GRANT that is named can be followed, whatever the table's name is",
        arguments: ["DELETE", "TRIGGER"])
    func grants(right: String) throws {
        let app = try AppDatabase(
            """
            CREATE TABLE `bob.smith-entry` (id int PRIMARY KEY, at timestamp NULL);
            INSERT INTO `bob.smith-entry` VALUES (1, '2026-01-01');
            \(right == "TRIGGER" ? "CREATE TRIGGER g BEFORE DELETE ON `bob.smith-entry` FOR EACH ROW SET @a = 1" : "")
            """)
        let user = try app.database.createUser("SELECT\(right == "TRIGGER" ? ", DELETE" : "")")
        try app.run("GRANT PROCESS ON *.* TO \(user)@localhost")
        let report = try app.prune(.old("bob.smith-entry"), user: user)
        let hint = try #require(report.failure?.hint)
        try app.run(hint)
    }

    @Test("a url with a password and no user has no user of that name")
    func passwordAlone() throws {
        let address = try Address(text: "mariadb://:secret@db/app", place: "here")
        #expect(address.user == nil && address.password == "secret")
    }

    /// The batch fails as if its tables had been changed.
    @Test("a trigger that limits the rows of an answer does not end the run")
    func selectLimit() throws {
        let app = try AppDatabase(
            AppDatabase.table(20)
                + "CREATE TRIGGER g BEFORE DELETE ON t FOR EACH ROW SET SESSION sql_select_limit = 1")
        let report = try app.prune(gate: try app.gate(allowing: ["g"]))
        #expect(report.outcome == .done && report.deleted == 20, "\(report)")
    }

    /// The trigger of a dependent runs before the row that others hold goes, in the same transaction.
    @Test("a row that another one holds stays, although a dependent's trigger turns off the checks")
    func uncheckedKey() throws {
        let app = try AppDatabase(
            AppDatabase.table(5)
                + """
                CREATE TABLE c (id int PRIMARY KEY, t int, FOREIGN KEY (t) REFERENCES t (id) ON DELETE CASCADE);
                INSERT INTO c VALUES (1, 1);
                CREATE TABLE held (id int PRIMARY KEY, t int, FOREIGN KEY (t) REFERENCES t (id)); INSERT INTO held VALUES (1, 3);
                CREATE TRIGGER g AFTER DELETE ON c FOR EACH ROW SET SESSION foreign_key_checks = 0
                """)
        let gate = try app.gate(of: ["t", "c", "held"], allowing: ["g"])
        let report = try app.prune(.old(dependents: ["c"]), gate: gate)
        #expect(report.outcome == .failed, "\(report)")
        #expect(
            try app.count("SELECT count(*) FROM held LEFT JOIN t ON t.id = held.t WHERE t.id IS NULL") == 0)
    }
}
