import CSQLite
import Retention
import SQLite

/// The column with a rule's time, and the SQL of its values.
struct TimeColumn {
    let column: TableSchema.Column
    let format: TimeFormat
    /// Whether the schema guarantees that every value is an integer or NULL.
    let isAlwaysInteger: Bool
    /// The kind of index on the column. Texts are never compared as texts, so an index on them does not help.
    let index: TimeIndex?

    init(
        _ column: TableSchema.Column, _ format: TimeFormat, of table: TableSchema, in db: Database
    ) throws {
        self.column = column
        self.format = format
        isAlwaysInteger = format.unit.storage == .integer && table.isAlwaysInteger(column)
        if format.unit.storage == .text {
            index = nil
            try TimeTextFunction.define(format.zone, in: db)
        } else {
            let found = try TimeIndex.find(table: table, column: column.name, unit: format.unit, in: db)
            index = format.unit.storage == .real && found != .exact ? nil : found
        }
    }

    var name: String { column.name }

    /// SQL for the time of the row `row` as a number; for text: the microseconds that the text means.
    func sql(of row: String) -> String {
        let value = raw(of: row)
        return format.unit.storage == .text ? TimeTextFunction.call(value, format.zone) : value
    }

    /// SQL for the column's value in the row `row`.
    func raw(of row: String) -> String { row.quotedIdentifier + "." + name.quotedIdentifier }

    /// SQL for the time as an integer in the column's unit, rounded down.
    func whole(of row: String) -> String {
        format.unit.storage == .real ? "CAST(\(sql(of: row)) AS INTEGER)" : sql(of: row)
    }

    /// SQL that is true of a number that the column may have as a time.
    func isNumber(_ row: String) -> String {
        switch format.unit.storage {
        case .integer, .text: "typeof(\(sql(of: row))) = 'integer'"
        case .real: "typeof(\(sql(of: row))) IN ('real', 'integer')"
        }
    }
}

/// The SQL function that reads a time written as text; see ``TextTime``.
enum TimeTextFunction {
    /// SQL for the microseconds that `value` means in `zone`: NULL for NULL, and 0, which is not plausible, for what is
    /// not a time.
    static func call(_ value: String, _ zone: Zone?) -> String { "\(name(zone).quotedIdentifier)(\(value))" }

    /// Each zone has a function of its own.
    private static func name(_ zone: Zone?) -> String { "pruned_time " + (zone?.identifier ?? "UTC") }

    /// Makes the function known to `db`.
    static func define(_ zone: Zone?, in db: Database) throws(DatabaseError) {
        let context = Unmanaged.passRetained(Box(zone: zone)).toOpaque()
        let code = sqlite3_create_function_v2(
            db.handle, name(zone), 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, context,
            { context, _, arguments in
                guard let box = sqlite3_user_data(context), let value = arguments?[0] else { return }
                guard sqlite3_value_type(value) != SQLITE_NULL else { return sqlite3_result_null(context) }
                guard sqlite3_value_type(value) == SQLITE_TEXT else {
                    return sqlite3_result_int64(context, 0)
                }
                let zone = Unmanaged<Box>.fromOpaque(box).takeUnretainedValue().zone
                let text = UnsafeRawBufferPointer(
                    start: sqlite3_value_text(value), count: Int(sqlite3_value_bytes(value)))
                sqlite3_result_int64(context, TextTime.microseconds(text, in: zone) ?? 0)
            }, nil, nil, { box in box.map { Unmanaged<Box>.fromOpaque($0).release() } })
        guard code == SQLITE_OK else { throw DatabaseError(code, of: db.handle) }
    }

    private final class Box {
        let zone: Zone?

        init(zone: Zone?) { self.zone = zone }
    }
}
