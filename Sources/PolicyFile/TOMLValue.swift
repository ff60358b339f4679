import Retention

/// A value of a TOML file.
indirect enum TOMLValue: Sendable {
    case table(TOMLTable)
    case array([TOMLValue])
    case string(String)
    case integer(Int64)
    case float(Double)
    case bool(Bool)
    /// A date, a time, or both: its kind, and its text in the file.
    case time(kind: String, String)

    var table: TOMLTable? { if case .table(let table) = self { table } else { nil } }

    var array: [TOMLValue]? { if case .array(let array) = self { array } else { nil } }

    var string: String? { if case .string(let string) = self { string } else { nil } }

    var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }

    var float: Double? { if case .float(let float) = self { float } else { nil } }

    var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }

    /// The value of the key `key` in the file's format. Tables and arrays are abbreviated.
    func written(as key: String?) -> String {
        if key == StoreKey.url.rawValue, let string { return ConnectionString.redacted(string).quoted }
        return written
    }

    /// The value in the file's format. Tables and arrays are abbreviated. A URI of PostgreSQL is without its password,
    /// wherever it stands.
    var written: String {
        switch self {
        case .table: "{…}"
        case .array: "[…]"
        case .string(let string):
            (ConnectionString.isURI(string) ? ConnectionString.redacted(string) : string).quoted
        case .integer(let integer): "\(integer)"
        case .float(let float): "\(float)"
        case .bool(let bool): "\(bool)"
        case .time(_, let text): text
        }
    }

    /// The value in the file's format, with the elements of an array or a table.
    var writtenInFull: String {
        switch self {
        case .array(let array): "[" + array.map(\.writtenInFull).joined(separator: ", ") + "]"
        case .table(let table): "{ " + table.written.joined(separator: ", ") + " }"
        default: written
        }
    }

    /// The value's type, with an article.
    var type: String {
        switch self {
        case .table: "a table"
        case .array: "an array"
        case .string: "a string"
        case .integer: "an integer"
        case .float: "a floating-point number"
        case .bool: "a bool"
        case .time(let kind, _): "a \(kind)"
        }
    }
}

/// A table of a TOML file.
struct TOMLTable: Sendable {
    /// The keys, in order.
    let keys: [String]
    private let values: [String: TOMLValue]
    /// The lines of the file on which the values begin, as far as they are known.
    let lineNumbers: [String: Int]

    init(_ entries: [(key: String, value: TOMLValue)], on lineNumbers: [String: Int] = [:]) {
        self.lineNumbers = lineNumbers
        keys = entries.map(\.key)
        // Keys that differ only in Unicode composition are different to TOML, but equal to Swift. No known key is among
        // them.
        values = Dictionary(entries.map { ($0.key, $0.value) }) { first, _ in first }
    }

    subscript(key: String) -> TOMLValue? { values[key] }

    /// The keys and their values, in order.
    var lines: [(key: String, value: TOMLValue)] { keys.compactMap { key in values[key].map { (key, $0) } } }

    fileprivate var written: [String] {
        lines.map { "\($0.key.key) = \($0.value.writtenInFull)" }
    }
}
