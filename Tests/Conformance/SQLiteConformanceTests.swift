import Pruning
import Testing

@Suite("What a rule means, on SQLite")
struct SQLiteConformanceTests {
    @Test("plan, explanation, run, a second run and restore say and do the same", arguments: Case.names)
    func few(name: Case.Name) throws { try CasePlay<SQLiteCaseDatabase>(name).play() }

    @Test(
        "the same without a write-ahead log, whatever way the rows are found",
        arguments: Case.names, AccessPath.allCases)
    func paths(name: Case.Name, accessPath: AccessPath) throws {
        try CasePlay<JournalCaseDatabase>(name, by: accessPath).play()
    }

    @Test("the same with the rows many times over", arguments: Case.names)
    func many(name: Case.Name) throws {
        guard try Case(name).isScaled else { return }
        try CasePlay<SQLiteCaseDatabase>(name, rows: CasePlay<SQLiteCaseDatabase>.many).play()
    }
}
