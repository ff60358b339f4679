import Pruning
import Retention
import TestSupport
import Testing

@testable import MariaDBPruning

@Suite(
    "Children in another database",
    .enabled(if: MariaDBPrograms.installed != nil, "\(MariaDBPrograms.comment)"))
struct OtherDatabaseTests {
    private let app: AppDatabase
    private let other: AppDatabase
    private var child: String { "\(other.database.name).c" }

    init() throws {
        let app = try AppDatabase(AppDatabase.table(9, expired: 5))
        self.app = app
        other = try AppDatabase(
            """
            CREATE TABLE c (id int PRIMARY KEY, t int,
                FOREIGN KEY (t) REFERENCES \(app.database.name).t (id) ON DELETE CASCADE);
            INSERT INTO c SELECT seq, MOD(seq, 9) + 1 FROM seq_1_to_27
            """)
    }

    @Test("they go only if they are declared, and are counted as dependent")
    func declared() throws {
        let refused = try app.prune()
        #expect(refused.outcome == .failed && refused.deleted == 0, "\(refused)")
        #expect(refused.failure?.cause.contains(child) == true, "\(refused)")
        #expect(try [app.rows(), other.rows(of: "c")] == [9, 27])
        let report = try app.prune(.old(dependents: [child]))
        #expect(report.outcome == .done && report.deleted == 5 && report.dependentsDeleted == 15, "\(report)")
        #expect(try [app.rows(), other.rows(of: "c")] == [4, 12])
    }

    @Test("they are found by a user who may not see the other database")
    func unseen() throws {
        let user = try app.database.createUser("SELECT, DELETE, TRIGGER")
        try app.run("GRANT PROCESS ON *.* TO \(user)@localhost")
        for dependents: Set<String> in [[], [child]] {
            let report = try app.prune(.old(dependents: dependents), user: user)
            #expect(report.outcome == .failed && report.deleted == 0, "\(report)")
            #expect(report.failure?.cause.contains(child) == true, "\(report)")
        }
        #expect(try [app.rows(), other.rows(of: "c")] == [9, 27])
    }

    @Test("a child that only holds rows is named with the rows that it holds")
    func holding() throws {
        try other.run(
            """
            ALTER TABLE c DROP FOREIGN KEY c_ibfk_1;
            ALTER TABLE c ADD CONSTRAINT holds FOREIGN KEY (t) REFERENCES \(app.database.name).t (id)
            """)
        try other.run("DELETE FROM c WHERE t <> 2")
        let report = try app.prune()
        #expect(
            report.failure?.cause
                == "1 expired row of t cannot be deleted: rows of \(child) refer to it (foreign key holds)",
            "\(report)")
        #expect(try app.rows() == 9)
        var rule = RetentionRule.old()
        rule.keptBy = [ColumnReference(table: child, column: "t")]
        #expect(try app.prune(rule).deleted == 4)
    }
}
