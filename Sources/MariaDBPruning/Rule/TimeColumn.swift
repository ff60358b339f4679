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
            guard format.unit.storage == .integer else {
                throw SchemaMismatch(
                    "\(place) has integers, and the rule's unit is \(unit)",
                    hint: "write the unit of the integers: s, ms, us or ns", keys: ["unit"],
                    value: unit.inQuotes)
            }
            storage = .number
        case "decimal", "double", "float":
            guard format.unit.storage == .real else {
                throw SchemaMismatch(
                    "\(place) has numbers with a fraction, and the rule's unit is \(unit)",
                    hint: "write unit = \"s-real\"", keys: ["unit"], value: unit.inQuotes)
            }
            storage = .number
        default:
            throw SchemaMismatch(
                "\(place) has the type \(column.type), which is none of a time",
                hint: "a time is timestamp; datetime or date with column_zone; or a number with unit")
        }
    }

    /// SQL: the first plausible value.
    var firstPlausible: String {
        storage == .number
            ? "\(format.plausible.lowerBound)" : literal(of: WallClock(at: Self.first, in: .gmt))
    }

    /// SQL: a value that is greater than any plausible one, or the last of these.
    private var last: String {
        switch storage {
        case .number: "\(format.plausible.upperBound)"
        case .day: "DATE'9999-12-31'"
        case .instant, .local: "TIMESTAMP'9999-12-31 23:59:59.999999'"
        }
    }

    /// Zero dates and days that are none, such as 2020-00-10 or 2021-02-31, exist in strict mode, too, and lie between real
    /// ones.
    var isPlausible: String {
        let isBetween = "\(sql) >= \(firstPlausible) AND \(sql) <= \(last)"
        return storage == .number
            ? isBetween : "\(isBetween) AND DATE(\(sql)) <=> FROM_DAYS(TO_DAYS(\(sql)))"
    }

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
        case .number: "\(format.value(ofSecond: Int64(instant.timeIntervalSince1970)))"
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
            format.unit.perSecond == 1 && format.epoch == .unix
                ? "CAST(FLOOR(\(sql)) AS SIGNED)"
                : "CAST(FLOOR(CAST(\(sql) AS DECIMAL(65, 9)) / \(format.unit.perSecond) + \(epochStart)) AS SIGNED)"
        }
    }

    /// The Unix second at which the epoch begins.
    private var epochStart: Int64 { TimeFormat(.seconds, since: format.epoch).value(ofSecond: 0) * -1 }

    private static let first = Date(timeIntervalSince1970: 946_684_800)
}
