/// What tables and columns are called: plainly, or as only quotes allow.
struct SampleNames {
    /// The schema in PostgreSQL.
    let schema: String?
    /// What the tables of several samples in one file differ by.
    private let prefix: String
    private var given: [String: String] = [:]

    private static let odd = [
        "or\"der", "Select", "weird näme", "semi;colon", "it's", "1st", "[x]", "`y`", "--", "日本", "tab\tle",
        "%s",
        "back\\slash", "NULL", "rowid_", "a b c", "{t}", "?1", "$1", "group",
    ]
    private static let all = [
        "t", "k0", "k1", "label", "gone", "u1", "u2", "u3", "at", "a", "b", "c", "g", "h", "m", "n", "hash",
        "id",
        "id2", "item",
    ]

    init(schema: String?, prefix: String, _ random: inout SampleRandom) {
        (self.schema, self.prefix) = (schema, prefix)
        guard random.chance(0.3) else { return }
        var odd = Self.odd
        for name in Self.all where random.chance(0.5) && !odd.isEmpty {
            given[name] = odd.remove(at: random.number(0...odd.count - 1))
        }
    }

    /// Whether another sample is in the same file.
    var isAfterAnother: Bool { !prefix.isEmpty }

    /// The name of a column.
    func plain(_ name: String) -> String { given[name] ?? name }

    private func plain(table: String) -> String { prefix + plain(table) }

    /// As a configuration says it.
    func configured(table: String) -> String { (schema.map { $0 + "." } ?? "") + plain(table: table) }

    /// As SQL.
    func column(_ name: String) -> String { Self.quoted(plain(name)) }

    /// As SQL, with its schema.
    func table(_ name: String) -> String { (schema.map { $0 + "." } ?? "") + Self.quoted(plain(table: name)) }

    /// The rule's table before the columns of its row.
    var rowTable: String { Self.quoted(plain(table: "t")) }

    /// The beginning of the name of an index.
    var index: String { prefix + "index_#" }

    private static func quoted(_ name: String) -> String {
        let isPlain =
            name.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "_") } && name != "group"
        return isPlain && name.first?.isNumber != true
            ? name : "\"\(name.replacing("\"", with: "\"\""))\""
    }
}
