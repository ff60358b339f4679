import Testing

@Suite("What a rule means, on PostgreSQL")
struct PostgreSQLConformanceTests {
    @Test("plan, explanation, run, a second run and restore say and do the same", arguments: Case.names)
    func few(name: Case.Name) throws { try CasePlay<PostgreSQLCaseDatabase>(name).play() }

    @Test("the same with the rows many times over", arguments: Case.scaledNames)
    func many(name: Case.Name) throws {
        try CasePlay<PostgreSQLCaseDatabase>(name, rows: CasePlay<PostgreSQLCaseDatabase>.many).play()
    }
}
