import Pruning
import Testing

@Suite("What a rule means, on SQLite")
struct SQLiteConformanceTests {
    @Test("plan, explanation, run, a second run and restore say and do the same", arguments: Case.names)
    func few(name: Case.Name) throws { try CasePlay<SQLiteCaseDatabase>(name).play() }

    @Test("the same without a write-ahead log, where an index finds the rows", arguments: Case.names)
    func byIndex(name: Case.Name) throws {
        try CasePlay<JournalCaseDatabase>(name, by: .index).play()
    }

    @Test("the same with the rows many times over", arguments: Case.scaledNames)
    func many(name: Case.Name) throws {
        try CasePlay<SQLiteCaseDatabase>(name, rows: CasePlay<SQLiteCaseDatabase>.many).play()
    }
}
