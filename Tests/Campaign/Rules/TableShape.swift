/// How the rule's table is made.
struct TableShape {
    enum Key: CaseIterable {
        case integer, text, pair, none
    }

    let key: Key
    let isWithoutRowID: Bool
    /// Of the column `g`.
    let collation: String
    /// The columns of indexes.
    let indexes: [[String]]
    let isIndexUnique: Bool
    /// Whether its rows are so long that few of them fill a page.
    let hasLongRows: Bool
    /// Whether a column takes texts for equal that differ in their case alone: in PostgreSQL by a type of an extension, in
    /// MariaDB by its collation.
    let ignoresCase: Bool

    init(in kind: StoreKind, _ random: inout SampleRandom) {
        // MariaDB prunes no table without a key.
        key = random.pick(.integer, .integer, .text, .pair, kind == .mariaDB ? .pair : .none)
        isWithoutRowID = kind == .file && key != .none && random.chance(0.4)
        collation = kind == .postgreSQL ? "BINARY" : random.pick("BINARY", "NOCASE", "RTRIM")
        indexes = [["at"], ["g", "at"], ["h", "g", "at"], ["a", "at"], ["g", "h", "at"]].filter { _ in
            random.chance(0.3)
        }
        isIndexUnique = random.chance(0.2)
        hasLongRows = kind == .postgreSQL && random.chance(0.06)
        ignoresCase = kind != .file && random.chance(kind == .mariaDB ? 0.3 : 0.06)
    }

    /// The names of the key's columns; none for a table without a key.
    var keyColumns: [String] {
        switch key {
        case .integer, .text: ["id"]
        case .pair: ["id", "id2"]
        case .none: []
        }
    }

    /// Whether its key can have no NULL.
    var namesEachRow: Bool { key == .integer || isWithoutRowID }

    /// Whether a keeper can refer to its rows.
    var isReferable: Bool { keyColumns.count == 1 }

    /// A value of a group as its column compares it.
    func group(_ row: SampleRow, _ column: String) -> String {
        let value = row.groups[column] ?? "NULL"
        guard column == "g" else { return value }
        return switch collation {
        case "NOCASE": value.lowercased()
        case "RTRIM": value == "'a '" ? "'a'" : value
        default: value
        }
    }
}
