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
            try TimeTextFunction.define(format, in: db)
        } else {
            let found = try TimeIndex.find(table: table, column: column.name, format, in: db)
            index = format.unit.storage == .real && found != .exact ? nil : found
        }
    }

    var name: String { column.name }

    /// SQL for the time of the row `row` as a number; for text: the microseconds that the text means.
    func sql(of row: String) -> String {
        let value = raw(of: row)
        return format.unit.storage == .text ? TimeTextFunction.call(value, format) : value
    }

    /// SQL for the column's value in the row `row`.
    func raw(of row: String) -> String { row.quotedIdentifier + "." + name.quotedIdentifier }

    /// SQL for the time as an integer as the format counts it, rounded down.
    func whole(of row: String) -> String {
        guard format.unit.storage == .real else { return sql(of: row) }
        let seconds =
            format.unit == .julianDays
            ? "\(sql(of: row)) * 86400 + \(TimeFormat.daysInaccuracy)" : sql(of: row)
        return "CAST(\(seconds) AS INTEGER)"
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
    /// SQL for the microseconds that `value` means in `format`: NULL for NULL, and 0, which is not plausible, for what is
    /// not a time.
    static func call(_ value: String, _ format: TimeFormat) -> String {
        "\(name(format).quotedIdentifier)(\(value))"
    }

    /// Each unit and zone has a function of its own.
    private static func name(_ format: TimeFormat) -> String {
        "pruned_time \(format.unit.rawValue) \(format.zone?.identifier ?? "UTC")"
    }

    /// Makes the function known to `db`.
    static func define(_ format: TimeFormat, in db: Database) throws(DatabaseError) {
        let context = Unmanaged.passRetained(Box(format)).toOpaque()
        let code = sqlite3_create_function_v2(
            db.handle, name(format), 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, context,
            { context, _, arguments in
                guard let box = sqlite3_user_data(context), let value = arguments?[0] else { return }
                guard sqlite3_value_type(value) != SQLITE_NULL else { return sqlite3_result_null(context) }
                let format = Unmanaged<Box>.fromOpaque(box).takeUnretainedValue().format
                let type = sqlite3_value_type(value)
                guard type == SQLITE_TEXT || (type == SQLITE_INTEGER && format.unit == .dayDigits) else {
                    return sqlite3_result_int64(context, 0)
                }
                let text = UnsafeRawBufferPointer(
                    start: sqlite3_value_text(value), count: Int(sqlite3_value_bytes(value)))
                sqlite3_result_int64(
                    context, TextTime.microseconds(text, as: format.unit, in: format.zone) ?? 0)
            }, nil, nil, { box in box.map { Unmanaged<Box>.fromOpaque($0).release() } })
        guard code == SQLITE_OK else { throw DatabaseError(code, of: db.handle) }
    }

    private final class Box {
        let format: TimeFormat

        init(_ format: TimeFormat) { self.format = format }
    }
}
