import Testing

@Suite("What a rule means, on PostgreSQL")
struct PostgreSQLConformanceTests {
    @Test("plan, explanation, run, a second run and restore say and do the same", arguments: Case.names)
    func few(name: Case.Name) throws { try play(name) }

    @Test("the same with the rows many times over", arguments: Case.scaledNames)
    func many(name: Case.Name) throws {
        try play(name, rows: CasePlay<PostgreSQLCaseDatabase>.many)
    }

    private func play(_ name: Case.Name, rows: Int = 0) throws {
        let conformance = try CasePlay<PostgreSQLCaseDatabase>(name, rows: rows)
        guard name.file != "units-text" else {
            return try conformance.playRefusal(because: ["which is none of a time"])
        }
        try conformance.play()
    }
}
