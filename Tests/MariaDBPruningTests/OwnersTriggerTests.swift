import Pruning
import Retention
import TestSupport
import Testing

@testable import MariaDBPruning

@Suite(
    "An owner's trigger that changes the session",
    .enabled(if: MariaDBPrograms.installed != nil, "\(MariaDBPrograms.comment)"))
struct OwnersTriggerTests {
    /// Settings that decide which rows go, and what becomes of others.
    private static let settings = [
        "foreign_key_checks": "0", "unique_checks": "0", "time_zone": "'-11:00'", "sql_auto_is_null": "1",
        "tx_isolation": "'READ-UNCOMMITTED'", "sql_select_limit": "1", "lock_wait_timeout": "1000",
        "innodb_lock_wait_timeout": "1000", "character_set_connection": "latin1",
        "old_mode": "'UTF8_IS_UTF8MB3'",
        "character_set_results": "utf16", "collation_connection": "utf8mb4_bin",
        "optimizer_switch": "'index_merge=off'", "div_precision_increment": "0", "group_concat_max_len": "4",
        "completion_type": "'CHAIN'", "max_statement_time": "900", "sql_safe_updates": "1",
    ].sorted { $0.key < $1.key }

    @Test("each setting is set again before the next transaction", arguments: [false, true])
    func setting(reads: Bool) throws {
        let app = try AppDatabase()
        let connection = try app.connection()
        defer { connection.close() }
        let names = ["sql_mode"] + Self.settings.map(\.key)
        let asked = "SELECT " + names.map { "@@SESSION.\($0)" }.joined(separator: ", ")
        func begin() throws {
            try connection.begin(
                reads ? .snapshot : .writing(longest: .seconds(1)), firesTriggers: true)
        }
        try begin()
        let first = try connection.query(asked).rows
        connection.rollBack()
        for (name, value) in Self.settings + [("sql_mode", "''")] {
            try connection.query("SET SESSION \(name) = \(value)")
        }
        try begin()
        #expect(try connection.query(asked).rows == first)
        connection.rollBack()
    }

    @Test("it changes nothing of the next batch", arguments: AccessPath.allCases)
    func batches(path: AccessPath) throws {
        // Rows that are an hour too young, and one that another row holds, come late.
        let app = try AppDatabase(
            """
            CREATE TABLE t (id int PRIMARY KEY, at timestamp NULL, INDEX (at));
            INSERT INTO t SELECT seq, IF(seq < 5000, TIMESTAMP'2026-01-01 00:00:00' + INTERVAL seq SECOND,
                TIMESTAMP'2026-10-21 13:00:00' + INTERVAL seq SECOND) FROM seq_1_to_6000;
            CREATE TABLE batch (n int); INSERT INTO batch VALUES (0);
            CREATE TABLE seen (batch int PRIMARY KEY, fk int, zone text, isolation text);
            DELIMITER //
            CREATE TRIGGER g BEFORE DELETE ON t FOR EACH ROW BEGIN
                INSERT IGNORE INTO seen SELECT n, @@foreign_key_checks, @@time_zone, @@tx_isolation FROM batch;
                SET SESSION foreign_key_checks = 0; SET SESSION time_zone = '-11:00';
                SET SESSION sql_mode = ''; SET SESSION tx_isolation = 'READ-UNCOMMITTED';
            END //
            DELIMITER ;
            """)
        let gate = try app.gate(allowing: ["g"])
        let report = try app.prune(accessPath: path, gate: gate) { try app.run("UPDATE batch SET n = \($0)") }
        #expect(report.outcome == .done && report.deleted == 4_999, "\(report)")
        #expect(try app.count("SELECT min(id) FROM t") == 5_000)
        let seen = try app.run("SELECT DISTINCT fk, zone, isolation FROM seen")
        #expect(seen == [["1", "+00:00", "READ-COMMITTED"]])
        #expect(try app.count("SELECT count(*) FROM seen") > 1, "one batch tells nothing")
    }

    @Test("a row that another one holds fails the next batch, although the trigger has turned off the checks")
    func held() throws {
        let app = try AppDatabase(
            AppDatabase.table(6_000)
                + """
                CREATE TABLE c (id int PRIMARY KEY, t int, FOREIGN KEY (t) REFERENCES t (id)); INSERT INTO c VALUES (1, 6000);
                CREATE TRIGGER g AFTER DELETE ON t FOR EACH ROW SET SESSION foreign_key_checks = 0
                """)
        let gate = try app.gate(of: ["t", "c"], allowing: ["g"])
        let report = try app.prune(accessPath: .walk, gate: gate)
        #expect(report.outcome == .failed && report.failure?.kind == .fault(.unsafe), "\(report)")
        #expect(report.deleted > 0)
        #expect(try app.rows() == 6_000 - Int(report.deleted))
        #expect(try app.count("SELECT count(*) FROM t WHERE id = 6000") == 1)
    }

    @Test("what a trigger raises fails the batch, and the run says what helps")
    func raised() throws {
        let app = try AppDatabase(
            AppDatabase.table(20)
                + """
                DELIMITER //
                CREATE TRIGGER g BEFORE DELETE ON t FOR EACH ROW BEGIN
                    IF OLD.id = 7 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not that one'; END IF;
                END//
                DELIMITER ;
                """)
        let gate = try app.gate(allowing: ["g"])
        var rule = RetentionRule.old()
        let report = try app.prune(rule, gate: gate)
        #expect(report.outcome == .failed, "\(report)")
        #expect(report.failure?.cause == "a trigger of the app refuses it: not that one", "\(report)")
        #expect(try app.rows() == 20 - Int(report.deleted))
        #expect(try app.count("SELECT count(*) FROM t WHERE id = 7") == 1)
        rule.protect = ["id = 7"]
        #expect(try app.prune(rule, gate: gate).deleted == 19 - report.deleted)
        #expect(try app.run("SELECT id FROM t") == [["7"]])
    }
}
