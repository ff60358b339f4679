import CTOML

/// Why a text is not TOML, and where. Counted from 1; nil if the parser does not know.
struct TOMLError: Error {
    let reason: String
    let position: (line: Int, column: Int)?
    /// Whether nothing is wrong with the text: there was no memory to parse it.
    var isOutOfMemory = false
}

extension TOMLTable {
    /// Parses a text that a ``ParserGuard`` has accepted.
    init(parsing text: String) throws(TOMLError) {
        var text = text
        let parsed = text.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { ctoml_parse($0.baseAddress, $0.count) }
        }
        guard let document = parsed else {
            throw TOMLError(reason: "no memory", position: nil, isOutOfMemory: true)
        }
        defer { ctoml_free(document) }
        var count = 0
        let values = UnsafeBufferPointer(start: ctoml_values(document, &count), count: count)
        guard var rest = values.isEmpty ? nil : values[...] else { throw TOMLError(document) }
        guard case .table(let table) = TOMLValue(from: &rest) else {
            throw TOMLError(reason: "not a table", position: nil)
        }
        self = table
    }
}

extension TOMLError {
    fileprivate init(_ document: OpaquePointer) {
        var (line, column): (UInt32, UInt32) = (0, 0)
        reason = ctoml_error(document, &line, &column).string
        position = line > 0 ? (Int(line), Int(column)) : nil
    }
}

extension TOMLValue {
    /// Removes the first of `values` and everything below it.
    fileprivate init(from values: inout Slice<UnsafeBufferPointer<ctoml_value>>) {
        let value = values.removeFirst()
        switch value.kind {
        case CTOML_TABLE:
            var entries: [(key: String, value: TOMLValue)] = []
            var lines: [String: Int] = [:]
            for _ in 0..<value.children {
                guard let first = values.first else { break }
                let key = first.key.string
                if first.line > 0 { lines[key] = Int(first.line) }
                entries.append((key, TOMLValue(from: &values)))
            }
            self = .table(TOMLTable(entries, on: lines))
        case CTOML_ARRAY: self = .array((0..<value.children).map { _ in TOMLValue(from: &values) })
        case CTOML_STRING: self = .string(value.text.string)
        case CTOML_INTEGER: self = .integer(value.integer)
        case CTOML_FLOAT: self = .float(value.number)
        case CTOML_BOOL: self = .bool(value.integer != 0)
        case CTOML_DATE: self = .time(kind: "date", value.text.string)
        case CTOML_TIME: self = .time(kind: "time", value.text.string)
        default: self = .time(kind: "date-time", value.text.string)
        }
    }
}

extension ctoml_text {
    fileprivate var string: String {
        String(decoding: UnsafeRawBufferPointer(start: bytes, count: length), as: UTF8.self)
    }
}
