import Pruning
import Retention
import SQLite

/// Why a rule does not fit the schema of its store.
struct SchemaMismatch: Error {
    let cause: String
    let hint: String
    /// The keys of the setting that is to blame, below the rule; empty if it is the rule as a whole.
    private var keys: [String] = []
    /// Its value as a file writes it; nil if the cause has it.
    private var value: String?

    init(_ cause: String, hint: String, keys: [String] = []) {
        self.cause = cause
        self.hint = hint
        self.keys = keys
    }

    /// The setting of `rule` that is to blame.
    func setting(of rule: RetentionRule) -> BlamedSetting { BlamedSetting(of: rule.name, keys, value: value) }

    /// Runs `body`. A mismatch that blames no setting yet blames the one at `keys`, whose value is `value`.
    static func blaming<Result>(
        _ keys: [String], _ value: String, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch var mismatch as SchemaMismatch where mismatch.keys.isEmpty {
            (mismatch.keys, mismatch.value) = (keys, value)
            throw mismatch
        }
    }

    /// The same for a key of the rule whose value is a string.
    static func blaming<Result>(
        _ key: RuleKey, _ value: String, _ body: () throws -> Result
    ) throws -> Result {
        try blaming([key.rawValue], value.inQuotes, body)
    }
}

extension TableSchema {
    /// The column `name`; throws a ``SchemaMismatch`` if there is none.
    func required(_ name: String) throws(SchemaMismatch) -> Column {
        if let column = columnNamed(name) { return column }
        throw SchemaMismatch(
            "table \(self.name) has no column \"\(name)\"",
            hint: "its columns are " + columns.map(\.name).joined(separator: ", "))
    }

    static func required(_ name: String, in db: Database) throws -> TableSchema {
        if let table = try TableSchema(name, in: db) { return table }
        guard let (name, kind) = try TableSchema.kind(of: name, in: db) else {
            let names = try db.rows(
                "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name"
            ).map(\.[0].string)
            throw SchemaMismatch(
                "there is no table \"\(name)\"",
                hint: "its tables are " + names.filter { !$0.hasPrefix("sqlite_") }.joined(separator: ", "))
        }
        switch kind {
        case .view: throw SchemaMismatch("\"\(name)\" is a view", hint: "name the table that has the rows")
        case .virtual, .shadow:
            throw SchemaMismatch("\"\(name)\" is (part of) a virtual table", hint: "name an ordinary table")
        case .table:
            throw SchemaMismatch(
                "table \"\(name)\" has columns named rowid, _rowid_ and oid",
                hint: "its rows cannot be addressed"
            )
        }
    }
}
