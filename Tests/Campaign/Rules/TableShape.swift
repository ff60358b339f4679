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
    /// Whether its texts have a type of an extension, which compares them otherwise than PostgreSQL does.
    let hasOwnType: Bool

    init(isPortable: Bool, _ random: inout SampleRandom) {
        key = random.pick(.integer, .integer, .text, .pair, .none)
        isWithoutRowID = !isPortable && key != .none && random.chance(0.4)
        collation = isPortable ? "BINARY" : random.pick("BINARY", "NOCASE", "RTRIM")
        indexes = [["at"], ["g", "at"], ["h", "g", "at"], ["a", "at"], ["g", "h", "at"]].filter { _ in
            random.chance(0.3)
        }
        isIndexUnique = random.chance(0.2)
        hasLongRows = isPortable && random.chance(0.06)
        hasOwnType = isPortable && random.chance(0.06)
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
