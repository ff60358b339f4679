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
}

extension StoreFile: AppConnection {
    var begin: String { "BEGIN IMMEDIATE" }
    var beginReading: String { "BEGIN" }
    var lockingRow: String { "" }
}

extension ServerConnection: AppConnection {
    func execute(_ sql: String) throws { try rows(sql) }
    var begin: String { "BEGIN" }
    var beginReading: String { "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" }
    var lockingRow: String { " FOR KEY SHARE" }
}
