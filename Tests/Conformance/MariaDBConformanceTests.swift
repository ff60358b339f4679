import TestSupport
import Testing

@Suite("What a rule means, on MariaDB")
struct MariaDBConformanceTests {
    /// What cannot be meant there, by the name of the case, and what is said of it: by the server when it makes the tables,
    /// or else by the engine of each rule.
    private static let refusedOnMariaDB: [String: [String]] = {
        let own = "refer to others of it (a foreign key), which is not followed on MariaDB"
        let tombstone = "tombstone is not known on MariaDB"
        let reasons: [String: [String]] = [
            own: [
                "free-dependents", "held-dependent-by-its-own", "kept-and-referred", "lease-circle",
                "own-reference",
                "own-reference-dependents", "restore-own-references",
            ],
            tombstone: [
                "tombstone", "tombstone-by-another-table", "tombstone-of-null", "tombstone-of-two-columns",
                "tombstone-unfit", "tombstone-with-dependents", "unknown-column 7", "unknown-column 8",
                "unknown-table 3",
            ],
            "which is none of a time": ["units-uuid7", "units-text"],
            // InnoDB has no SET DEFAULT: such a key holds rows.
            "rows of state would not be deleted with rows of item": ["set-null-declared 2"],
            "rows of state refer to": ["set-null-undeclared 2"],
        ]
        let circle = [own, "reads part, of which rule a deletes rows"]
        return reasons.reduce(into: ["condition-on-dependents-in-a-circle": circle]) { all, reason in
            for name in reason.value { all[name] = [reason.key] }
        }
    }()

    @Test("plan, explanation, run, a second run and restore say and do the same", arguments: Case.names)
    func few(name: Case.Name) throws { try play(MariaDBCaseDatabase<MariaDBInstants>.self, name) }

    @Test("the same with times of a clock on the wall", arguments: Case.names)
    func wallTimes(name: Case.Name) throws { try play(MariaDBCaseDatabase<MariaDBWallTimes>.self, name) }

    @Test("the same with the rows many times over", arguments: Case.scaledNames)
    func many(name: Case.Name) throws {
        try play(
            MariaDBCaseDatabase<MariaDBInstants>.self, name,
            rows: CasePlay<MariaDBCaseDatabase<MariaDBInstants>>.many)
    }

    private func play<Database: CaseDatabase>(
        _ database: Database.Type, _ name: Case.Name, rows: Int = 0
    ) throws {
        let names = [name.testDescription, String(name.testDescription.prefix { $0 != " " })]
        guard let refusal = names.lazy.compactMap({ Self.refusedOnMariaDB[$0] }).first else {
            return try CasePlay<Database>(name, rows: rows).play()
        }
        let conformance: CasePlay<Database>
        do {
            conformance = try CasePlay<Database>(name, rows: rows)
        } catch let refused as ProgramFailed {
            #expect(refusal.contains(where: refused.errors.contains), "\(name.testDescription): \(refused)")
            return
        }
        try conformance.playRefusal(because: refusal)
    }
}
