import FoundationEssentials
import Retention
import RuleEngine

/// The column that has the rows' time, and how its type stores it.
///
/// A condition compares the bare column with values of its own type, so that an index on it serves.
struct TimeColumn: TimeSQL, Equatable {
    let name: String
    /// The column as SQL.
    let sql: String
    let storage: Storage
    /// The type, as `format_type` writes it.
    let typeName: String
    private let format: TimeFormat

    enum Storage: Equatable {
        case instant
        /// `timestamp` without a zone, read in this one.
        case local(Zone)
        case day(Zone)
        case integer
        case real
        /// Integers such as 20261123.
        case digits
        /// `uuid`, of version 7.
        case id

        /// Whether values are numbers or ids, as ``TimeFormat`` writes them.
        var isWritten: Bool {
            switch self {
            case .integer, .real, .digits, .id: true
            case .instant, .local, .day: false
            }
        }
    }

    /// Throws a ``SchemaMismatch`` if the type of the column does not fit the rule's unit.
    init(_ column: Relation.Column, of relation: Relation, _ format: TimeFormat) throws {
        self.name = column.name
        sql = relation.column(column.name)
        typeName = column.baseType
        self.format = format
        storage = try Self.storage(column, of: relation, format)
    }

    private static func storage(
        _ column: Relation.Column, of relation: Relation, _ format: TimeFormat
    ) throws -> Storage {
        let place = "\(relation.description).\(column.name)"
        switch column.baseType {
        case "timestamp with time zone":
            try refuseUnit(of: place, column.baseType, format)
            guard format.zone == nil else {
                throw SchemaMismatch(
                    "\(place) is a timestamp with time zone, which is an instant in every zone",
                    hint: "remove column_zone", keys: ["column_zone"])
            }
            return .instant
        case "timestamp without time zone", "date":
            try refuseUnit(of: place, column.baseType, format)
            guard let zone = format.zone else {
                throw SchemaMismatch(
                    "\(place) is a \(column.baseType), and the rule does not say in which time zone",
                    hint: "write column_zone, such as \"UTC\": the zone in which its app writes the column")
            }
            return column.baseType == "date" ? .day(zone) : .local(zone)
        case "bigint", "integer", "smallint":
            guard format.unit != .dayDigits else { return .digits }
            guard format.unit.storage == .integer else {
                throw SchemaMismatch(
                    "\(place) has integers, and the rule's unit is \(format.unit.rawValue)",
                    hint: "write the unit of the integers: \(TimeFormat.unitsOfIntegers)", keys: ["unit"],
                    value: format.unit.rawValue.inQuotes)
            }
            return .integer
        case "uuid":
            guard format.unit == .uuid7 else {
                throw SchemaMismatch(
                    "\(place) has UUIDs, and the rule's unit is \(format.unit.rawValue)",
                    hint: "write unit = \"uuid7\" if they are of version 7, which begin with a time",
                    keys: ["unit"], value: format.unit.rawValue.inQuotes)
            }
            return .id
        case "double precision", "real", "numeric":
            guard format.unit.storage == .real else {
                throw SchemaMismatch(
                    "\(place) has numbers with a fraction, and the rule's unit is \(format.unit.rawValue)",
                    hint: "write unit = \"s-real\", or \"d-real\" for julian days", keys: ["unit"],
                    value: format.unit.rawValue.inQuotes)
            }
            return .real
        default:
            throw SchemaMismatch(
                "\(place) has the type \(column.type), which is none of a time",
                hint:
                    "a time is timestamptz; timestamp or date with column_zone; a number with unit; or a uuid of version 7."
                    + " Texts are read as times in SQLite alone")
        }
    }

    private static func refuseUnit(of place: String, _ type: String, _ format: TimeFormat) throws {
        guard format.unit != .seconds || format.epoch != .unix else { return }
        throw SchemaMismatch(
            "\(place) is a \(type), which has no unit", hint: "remove unit and epoch", keys: ["unit"],
            value: format.unit.rawValue.inQuotes)
    }

    // MARK: - Conditions

    /// The first plausible value, as text.
    var firstText: String {
        switch storage {
        case .instant: "2000-01-01 00:00:00+00"
        case .local: "2000-01-01 00:00:00"
        case .day: "2000-01-01"
        case .integer, .real, .digits, .id: format.plausibleTexts.first
        }
    }

    /// SQL: the first plausible value.
    var firstPlausible: String {
        storage.isWritten ? written(firstText) : literal(Self.first, isUpper: false)
    }

    /// SQL: the first value after the plausible ones.
    private var end: String {
        storage.isWritten ? written(format.plausibleTexts.end) : literal(Self.end, isUpper: false)
    }

    private func written(_ text: String) -> String {
        storage == .id ? "uuid \(text.quotedLiteral)" : text
    }

    /// SQL that is true of a plausible time, and false or NULL of any other value.
    ///
    /// Years before 2000 and after 9999, infinity, BC, and for numbers what is no time in the rule's unit are implausible.
    /// NaN is greater than every number.
    var isPlausible: String {
        (["\(sql) >= \(firstPlausible)", "\(sql) < \(end)"] + [isTime].compactMap(\.self))
            .joined(separator: " AND ")
    }

    /// SQL that is true of a value in the range of plausible ones that is one; nil if all are.
    private var isTime: String? {
        switch storage {
        case .digits: format.isDay("\(sql)::bigint", dividing: "/")
        case .id: "\(sql)::text ~ '^.{14}7.{4}[89ab]'"
        default: nil
        }
    }

    /// SQL that is true of a value that is neither NULL nor plausible.
    var isOutside: String { "(\(outside.joined(separator: " OR ")))" }

    /// The two sides of ``isOutside``, each a range of an index, and what lies between and is no time.
    var outside: [String] {
        let between = "\(sql) >= \(firstPlausible) AND \(sql) < \(end)"
        return ["\(sql) < \(firstPlausible)", "\(sql) >= \(end)"]
            + (isTime.map { ["(\(between) AND NOT (\($0)))"] } ?? [])
    }

    /// SQL that is true of a time before `cutoff`, at whatever instant of those that it can mean.
    func isBefore(_ cutoff: Date) -> String {
        let isLess = "\(sql) < \(literal(cutoff, isUpper: true))"
        guard let skipped = skipped(at: cutoff) else { return isLess }
        return "(\(isLess) AND NOT (\(sql) >= \(skipped.from) AND \(sql) < \(skipped.to)))"
    }

    /// A value, as SQL, of which all lesser ones are before `instant`.
    func value(at instant: Date) -> String {
        skipped(at: instant)?.from ?? literal(instant, isUpper: true)
    }

    /// The values that only look as if they were before `instant`.
    private func skipped(at instant: Date) -> (from: String, to: String)? {
        switch storage {
        case .instant, .integer, .real, .digits, .id: nil
        case .local(let zone):
            LocalCutoff.skipped(at: instant, in: zone).map { (literal($0.from), literal($0.to)) }
        case .day(let zone):
            LocalCutoff.skipped(at: instant, in: zone).flatMap {
                $0.from.date == $0.to.date ? nil : (literal($0.from), literal($0.to))
            }
        }
    }

    private func literal(_ instant: Date, isUpper: Bool) -> String {
        switch storage {
        case .instant:
            return "timestamp with time zone "
                + (WallClock(at: instant, in: .gmt).description + "+00").quotedLiteral
        case .local(let zone), .day(let zone): return literal(reading(instant, zone, isUpper))
        case .integer, .real, .digits, .id:
            return written(format.written(at: Int64(instant.timeIntervalSince1970)))
        }
    }

    private func literal(_ reading: WallClock) -> String {
        if case .day = storage { return "date " + reading.date.description.quotedLiteral }
        return "timestamp without time zone " + reading.description.quotedLiteral
    }

    private func reading(_ instant: Date, _ zone: Zone, _ isUpper: Bool) -> WallClock {
        isUpper ? LocalCutoff.reading(of: instant, in: zone) : WallClock(at: instant, in: .gmt)
    }

    func value(_ text: String) -> String { "\(text.quotedLiteral)::\(typeName)" }

    /// SQL of the Unix second of a plausible time, rounded down. A local time is read as the zone's, about.
    var second: String {
        switch storage {
        case .instant: "floor(extract(epoch FROM \(sql)))::bigint"
        case .local(let zone), .day(let zone):
            "floor(extract(epoch FROM \(sql)::timestamp AT TIME ZONE \(Self.name(of: zone).quotedLiteral)))::bigint"
        case .integer: format.second(of: "\(sql)::bigint", dividing: "/")
        case .digits:
            """
            floor(extract(epoch FROM to_timestamp(\(format.second(of: "\(sql)::bigint", dividing: "/"))) \
            AT TIME ZONE 'UTC' AT TIME ZONE \(Self.name(of: format.zone ?? .gmt).quotedLiteral)))::bigint
            """
        case .real: "floor(\(format.second(ofReal: sql)))::bigint"
        case .id: "('x' || left(replace(\(sql)::text, '-', ''), 12))::bit(48)::bigint / 1000"
        }
    }

    private static func name(of zone: Zone) -> String { zone == .gmt ? "UTC" : zone.identifier }

    private static let first = Date(timeIntervalSince1970: 946_684_800)
    private static let end = Date(timeIntervalSince1970: 253_402_300_800)
}
