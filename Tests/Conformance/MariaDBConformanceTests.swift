import TestSupport
import Testing

@Suite("What a rule means, on MariaDB")
struct MariaDBConformanceTests {
    /// What cannot be meant there, by the name of the case, and what is said of it: by the server when it makes the tables,
    /// or else by the engine of each rule.
    private static let refusedOnMariaDB: [String: String] = [
        // The server forgets SET DEFAULT, and lets nothing go.
        "set-null-declared 2": "rows of state would not be deleted with rows of item",
        "set-null-undeclared 2": "rows of state refer to",
        "condition-on-dependents-in-a-circle": "a circle of foreign keys",
        "lease-circle": "a circle of foreign keys",
        "kept-and-referred": followed, "own-reference 1": followed, "own-reference 2": followed,
        "own-reference 3": followed, "own-reference 4": followed, "own-reference 5": followed,
        "own-reference-dependents": followed, "restore-own-references": followed,
    ]
    private static let followed = "which is not followed on MariaDB"

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
        guard let refusal = Self.refusedOnMariaDB[name.testDescription] else {
            return try CasePlay<Database>(name, rows: rows).play()
        }
        let conformance: CasePlay<Database>
        do {
            conformance = try CasePlay<Database>(name, rows: rows)
        } catch let refused as ProgramFailed {
            #expect(refused.errors.contains(refusal), "\(name.testDescription): \(refused)")
            return
        }
        try conformance.playRefusal(because: refusal)
    }
}
