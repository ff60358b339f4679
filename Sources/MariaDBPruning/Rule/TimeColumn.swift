import FoundationEssentials
import Retention
import RuleEngine

/// The column that has the rows' time, and how its type stores it.
///
/// A condition compares the bare column with values of its own type, so that an index on it serves.
struct TimeColumn: TimeSQL, Equatable {
    let name: String
    let sql: String
    private let storage: Storage
    private let format: TimeFormat
    /// Whose offset a local time has where about is enough.
    private let start: Date

    private enum Storage: Equatable {
        /// `TIMESTAMP`; the session's zone is UTC.
        case instant
        /// `DATETIME`, read in this zone.
        case local(Zone)
        case day(Zone)
        case number
    }

    /// Whether the values are numbers, which may be none of the rule's unit.
    var isNumber: Bool { storage == .number }

    /// Throws a ``SchemaMismatch`` if the type of the column does not fit the rule's unit.
    init(
        _ column: Relation.Column, of relation: Relation, _ format: TimeFormat, at start: Date
    ) throws {
        (name, sql, self.format) = (column.name, relation.column(column.name), format)
        self.start = start
        let place = "\(relation.description).\(column.name)"
        let unit = format.unit.rawValue
        guard !column.isVirtual else {
            throw SchemaMismatch(
                "\(place) is computed when it is read, perhaps by the time zone of who reads it",
                hint: "name a column whose values are stored")
        }
        func refuseUnit() throws {
            guard format.unit != .seconds || format.epoch != .unix else { return }
            throw SchemaMismatch(
                "\(place) is a \(column.type), which has no unit", hint: "remove unit and epoch",
                keys: ["unit"],
                value: unit.inQuotes)
        }
        switch column.baseType {
        case "timestamp":
            try refuseUnit()
            guard format.zone == nil else {
                throw SchemaMismatch(
                    "\(place) is a timestamp, which is an instant in every zone", hint: "remove column_zone",
                    keys: ["column_zone"])
            }
            storage = .instant
        case "datetime", "date":
            try refuseUnit()
            guard let zone = format.zone else {
                throw SchemaMismatch(
                    "\(place) is a \(column.baseType), and the rule does not say in which time zone",
                    hint: "write column_zone, such as \"UTC\": the zone in which its app writes the column")
            }
            storage = column.baseType == "date" ? .day(zone) : .local(zone)
        case "tinyint", "smallint", "mediumint", "int", "bigint":
            guard format.unit.storage == .integer || format.unit == .dayDigits else {
                throw SchemaMismatch(
                    "\(place) has integers, and the rule's unit is \(unit)",
                    hint: "write the unit of the integers: \(TimeFormat.unitsOfIntegers)", keys: ["unit"],
                    value: unit.inQuotes)
            }
            storage = .number
        case "decimal", "double", "float":
            guard format.unit.storage == .real else {
                throw SchemaMismatch(
                    "\(place) has numbers with a fraction, and the rule's unit is \(unit)",
                    hint: "write unit = \"s-real\", or \"d-real\" for julian days", keys: ["unit"],
                    value: unit.inQuotes)
            }
            storage = .number
        default:
            throw SchemaMismatch(
                "\(place) has the type \(column.type), which is none of a time",
                hint:
                    "a time is timestamp; datetime or date with column_zone; or a number with unit. Texts and ids are read"
                    + " as times in SQLite, and ids in PostgreSQL's uuid")
        }
    }

    /// SQL: the first plausible value.
    var firstPlausible: String {
        storage == .number
            ? format.plausibleTexts.first : literal(of: WallClock(at: Self.first, in: .gmt))
    }

    /// SQL: the last plausible value, or for numbers the first one after these.
    private var last: String {
        switch storage {
        case .number: format.plausibleTexts.end
        case .day: "DATE'9999-12-31'"
        case .instant, .local: "TIMESTAMP'9999-12-31 23:59:59.999999'"
        }
    }

    /// Zero dates and days that are none, such as 2020-00-10 or 2021-02-31, exist in strict mode, too, and lie between real
    /// ones.
    var isPlausible: String {
        let isBetween = "\(sql) >= \(firstPlausible) AND \(sql) \(storage == .number ? "<" : "<=") \(last)"
        if format.unit == .dayDigits { return "\(isBetween) AND \(format.isDay(integer, dividing: "DIV"))" }
        return storage == .number
            ? isBetween : "\(isBetween) AND DATE(\(sql)) <=> FROM_DAYS(TO_DAYS(\(sql)))"
    }

    private var integer: String { "CAST(\(sql) AS SIGNED)" }

    /// SQL that is true of a value that is neither NULL nor plausible.
    var isOutside: String { "(\(sql) IS NOT NULL AND (\(isPlausible)) IS NOT TRUE)" }

    func isBefore(_ cutoff: Date) -> String {
        let isLess = "\(sql) < \(upperBound(cutoff))"
        guard let skipped = skipped(at: cutoff) else { return isLess }
        return "(\(isLess) AND NOT (\(sql) >= \(skipped.from) AND \(sql) < \(skipped.to)))"
    }

    /// The values that only look as if they were before `instant`.
    private func skipped(at instant: Date) -> (from: String, to: String)? {
        switch storage {
        case .instant, .number: nil
        case .local(let zone):
            LocalCutoff.skipped(at: instant, in: zone).map { (literal(of: $0.from), literal(of: $0.to)) }
        case .day(let zone):
            LocalCutoff.skipped(at: instant, in: zone).flatMap {
                $0.from.date == $0.to.date ? nil : (literal(of: $0.from), literal(of: $0.to))
            }
        }
    }

    private func upperBound(_ instant: Date) -> String {
        switch storage {
        case .instant: literal(of: WallClock(at: instant, in: .gmt))
        case .local(let zone), .day(let zone): literal(of: LocalCutoff.reading(of: instant, in: zone))
        case .number: format.written(at: Int64(instant.timeIntervalSince1970))
        }
    }

    private func literal(of reading: WallClock) -> String {
        if case .day = storage { return "DATE" + reading.date.description.quotedLiteral }
        return "TIMESTAMP" + reading.description.quotedLiteral
    }

    func value(_ text: String) -> String {
        switch storage {
        case .number: text
        case .day: "DATE" + text.quotedLiteral
        case .instant, .local: "TIMESTAMP" + text.quotedLiteral
        }
    }

    var second: String {
        switch storage {
        case .instant: "TIMESTAMPDIFF(SECOND, TIMESTAMP'1970-01-01 00:00:00', \(sql))"
        // The server may know no named zones.
        case .local(let zone), .day(let zone):
            "(TIMESTAMPDIFF(SECOND, TIMESTAMP'1970-01-01 00:00:00', \(sql)) - \(zone.offset(at: start)))"
        case .number:
            switch format.unit.storage {
            case .real:
                "CAST(FLOOR(\(format.second(ofReal: "CAST(\(sql) AS DECIMAL(65, 12))"))) AS SIGNED)"
            case .integer: format.second(of: integer, dividing: "DIV")
            case .text:
                "(\(format.second(of: integer, dividing: "DIV")) - \(format.zone?.offset(at: start) ?? 0))"
            }
        }
    }

    private static let first = Date(timeIntervalSince1970: 946_684_800)
}
