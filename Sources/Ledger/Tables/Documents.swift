import SQLite

/// Values that are read and replaced as a whole.
extension LedgerTables {
    enum DocumentName: String {
        case metrics, service, reload
    }

    func document<Value: Decodable>(_ name: DocumentName) throws -> Value? {
        let row = try db.row(
            "SELECT content FROM document WHERE name = :name", ["name": .text(name.rawValue)])
        return try row.map { try Self.decoded($0[0].string) }
    }

    /// Nil: there is none from now on.
    func setDocument(_ name: DocumentName, _ value: (some Encodable)?) throws {
        guard let value else {
            return try db.execute(
                "DELETE FROM document WHERE name = :name", ["name": .text(name.rawValue)])
        }
        try db.execute(
            "INSERT INTO document VALUES (:name, :content) ON CONFLICT (name) DO UPDATE SET content = excluded.content",
            ["name": .text(name.rawValue), "content": .text(try Self.json(value))])
    }
}
