/// What SQLite reads of a store, as far as it can be read.
struct StoreRows: Sendable {
    /// The rows by their tables and values, and what becomes of each.
    private(set) var fates: [String: Fate] = [:]
    /// The tables that could be read to their ends.
    private(set) var whole: Set<String> = []

    enum Fate: String {
        /// It stays because of what it is itself.
        case stays
        /// It stays because of other rows.
        case staysByOthers = "others"
        case goes
    }

    /// Reads the tables, not the indexes, from both ends.
    init(_ path: String, _ shape: StoreShape, now: Int) throws {
        let store = try StoreFile(path)
        let isOld = Self.isOld(now)
        let expired = Self.isExpired(shape, now)
        for (table, columns) in shape.read {
            let names = columns.split(separator: ",")
            let text = names.map { "quote(\($0))" }.joined(separator: " || '|' || ")
            let own =
                table == "t" ? "iif((\(isOld)) AND NOT (\(shape.staying)), 'others', 'stays')" : "'stays'"
            let fate =
                table == "t"
                ? "iif(\(expired), 'goes', \(own))"
                : shape.going[table].map {
                    "iif(\($0.replacing("EXPIRED", with: expired)), 'goes', 'others')"
                } ?? own
            // Where the other rows cannot be read, those that do not need them can be, from either end.
            for (fate, order) in [(fate, ""), (own, ""), (own, "ORDER BY \(names[0]) DESC")] {
                do {
                    try store.eachRow("SELECT \(text), \(fate) FROM \(table) NOT INDEXED \(order)") { row in
                        fates[table + ": " + row[0]] = Fate(rawValue: row[1])
                    }
                    whole.insert(table)
                    break
                } catch is StoreFileError {}
            }
        }
        if let first = try? store.texts("PRAGMA integrity_check(1)").first { isSound = first == "ok" }
    }

    private(set) var isSound = false

    private static func isOld(_ now: Int) -> String {
        "typeof(at) = 'integer' AND at BETWEEN 946684800 AND \(now - 100 * 86_400)"
    }

    /// SQL that is true of a row of `t` that goes.
    static func isExpired(_ shape: StoreShape, _ now: Int) -> String {
        "(\(isOld(now))) AND NOT (\(shape.staying)) AND NOT (\(shape.staysByOthers))"
    }
}
