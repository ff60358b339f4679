import Testing

@Suite("What a rule means, on SQLite")
struct SQLiteConformanceTests {
    @Test("plan, explanation, run, a second run and restore say and do the same", arguments: Case.names)
    func few(name: String) throws { try CasePlay<SQLiteCaseDatabase>(name).play() }

    @Test("the same with the rows many times over", arguments: Case.names)
    func many(name: String) throws {
        guard try Case(name).isScaled else { return }
        try CasePlay<SQLiteCaseDatabase>(name, rows: CasePlay<SQLiteCaseDatabase>.many).play()
    }
}
