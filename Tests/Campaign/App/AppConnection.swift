/// A database as its app has it open.
protocol AppConnection: AnyObject {
    /// The rows of a statement, their values as text, NULL as an empty one.
    func rows(_ sql: String) throws -> [[String]]
    /// Executes any number of statements.
    func execute(_ sql: String) throws
    /// Begins a transaction in which no row that it has read changes.
    var begin: String { get }
    /// Begins a transaction that sees one state of the database.
    var beginReading: String { get }
    /// What a SELECT ends with that is to keep others from deleting its row.
    var lockingRow: String { get }
    /// Whether another session was in the way of a transaction.
    func isConflict(_ error: any Error) -> Bool
    /// Inserts a row unless its key is there, and returns the key if it was not.
    func add(_ values: String, to table: String) throws -> [[String]]
    /// Changes the row for which `condition` holds, and returns whether it is marked then; no row if there is none.
    func change(_ table: String, _ changes: String, where condition: String) throws -> [[String]]
}

extension AppConnection {
    func add(_ values: String, to table: String) throws -> [[String]] {
        try rows("INSERT INTO \(table) VALUES \(values) ON CONFLICT DO NOTHING RETURNING id")
    }

    func change(_ table: String, _ changes: String, where condition: String) throws -> [[String]] {
        try rows("UPDATE \(table) SET \(changes) WHERE \(condition) RETURNING marked")
    }
}

extension StoreFile: AppConnection {
    var begin: String { "BEGIN IMMEDIATE" }
    var beginReading: String { "BEGIN" }
    var lockingRow: String { "" }
    func isConflict(_ error: any Error) -> Bool { (error as? StoreFileError)?.isBusy ?? false }
}
