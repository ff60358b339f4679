/// A store with the tables of a sample.
protocol SampleStore {
    /// What is in all tables.
    func content() throws -> StoreContent
    func execute(_ sql: String) throws
    /// What it says of its own damage; nil when it is whole.
    func damage() throws -> String?
}

/// The rows of all tables of a sample: of each the number, the columns that a mark may set, and all others as one text.
struct StoreContent: Equatable {
    var tables: [String: Set<[String]>]

    /// What is there and should not be, or the other way round, for a finding; nil when both are equal.
    func difference(from expected: StoreContent) -> String? {
        guard self != expected else { return nil }
        let names = Set(tables.keys).union(expected.tables.keys).sorted()
        return names.compactMap { name in
            let (have, want) = (tables[name] ?? [], expected.tables[name] ?? [])
            guard have != want else { return nil }
            let (more, less) = (have.subtracting(want), want.subtracting(have))
            let show = { (rows: Set<[String]>) in
                "\(rows.sorted { $0.lexicographicallyPrecedes($1) }.prefix(3))"
            }
            return "\(name): \(more.count) too many \(show(more)), \(less.count) missing \(show(less))"
        }.joined(separator: "; ")
    }
}

extension RuleSample {
    /// The names of the tables.
    var tables: [String] { ["t", "k0", "k1", "label", "gone"] + children.indices.map { "u\($0 + 1)" } }

    /// The columns of a table of the content: its number, and what a mark may set.
    func columns(of table: String) -> (number: String, marked: [String], others: [String]) {
        switch table {
        case "t":
            return (
                "tag", ["m", "n"].map(names.column),
                (shape.keyColumns + ["at", "a", "b", "c", "g", "h", "hash"]).map(names.column)
            )
        case "k0", "k1": return (names.column("item"), [], [])
        case "label": return ("item", [], ["kind"])
        case "gone": return (names.column("hash"), [], [])
        default:
            let columns = table == "u1" ? shape.keyColumns.count : 1
            return ("id", [], (0..<columns).map { "up\($0)" })
        }
    }

    /// What the rule leaves of `content`.
    func expected(after content: StoreContent) -> StoreContent {
        guard !mustFail else { return content }
        var content = content
        let taken = Set(self.taken.map(String.init))
        let rows = content.tables["t"] ?? []
        guard rule.mark.isEmpty else {
            let marks = Dictionary(uniqueKeysWithValues: rule.mark.map { ($0.column, $0.value) })
            content.tables["t"] = Set(
                rows.map { row in
                    guard taken.contains(row[0]) else { return row }
                    return [row[0], marks["m"] ?? row[1], marks["n"] ?? row[2], row[3]]
                })
            return content
        }
        content.tables["t"] = rows.filter { !taken.contains($0[0]) }
        content.tables["gone"]?.formUnion(tombstones.map { ["'\($0)'", ""] })
        for (level, gone) in cascade.enumerated() {
            let rows = content.tables["u\(level + 1)"] ?? []
            content.tables["u\(level + 1)"] = rows.filter { !gone.contains($0[0]) }
        }
        return content
    }

    /// The numbers of the rows of each child table that go with rows above.
    private var cascade: [Set<String>] {
        guard rule.mark.isEmpty, !mustFail else { return [] }
        var (gone, levels) = (taken, [Set<String>]())
        for child in children {
            let numbers = child.rows.enumerated().filter { $0.element.map(gone.contains) ?? false }
            gone = Set(numbers.map { $0.offset + 1 })
            levels.append(Set(gone.map(String.init)))
        }
        return levels
    }

    /// How many rows go with the rows that the rule takes.
    var cascaded: Int { cascade.reduce(0) { $0 + $1.count } }
}
