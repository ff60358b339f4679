import Conditions

extension TypedColumn {
    /// A column as `information_schema.COLUMNS` has it: `dataType` is its DATA_TYPE, `columnType` its
    /// COLUMN_TYPE, and `collation` its COLLATION_NAME.
    ///
    /// The catalog shows JSON as a LONGTEXT: `isJSON` says whether the CHECK that makes it JSON is there. The
    /// detail of a text is its collation, as ``TextCollation`` reads it.
    init(
        _ name: String, dataType: String, columnType: String, collation: String?, isJSON: Bool = false
    ) {
        // BOOLEAN stands for TINYINT(1). The widths of other integers say nothing.
        let isFlag = columnType.lowercased().hasPrefix("tinyint(1)")
        let type: TypeClass =
            switch dataType.lowercased() {
            case "tinyint", "smallint", "mediumint", "int", "bigint": isFlag ? .boolean : .integer
            case "decimal": .decimal
            case "float", "double": .real
            case "datetime", "timestamp", "date": .time
            case "uuid": .uuid
            case "longtext" where isJSON: .json
            case "char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set":
                collation.flatMap { TextCollation($0) } == nil ? .other : .text
            default: .other
            }
        self.init(
            name, type, declared: columnType, detail: type == .text ? collation ?? "" : "",
            countsAsInteger: type == .boolean)
    }
}

/// How a column compares its texts, as ``TypedColumn/detail`` has it.
struct TextCollation: Hashable {
    /// Its name, which is also SQL.
    let name: String
    /// The character set that the column has.
    let characterSet: String

    /// By code points, where blanks at the end count.
    static let codePoints = "utf8mb4_nopad_bin"

    /// Nil if no server names a collation so.
    init?(_ name: String) {
        let isWord = name.utf8.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "_")
        }
        guard isWord, let end = name.firstIndex(of: "_"), end > name.startIndex else { return nil }
        (self.name, characterSet) = (name, String(name[..<end]))
    }

    /// The text as the column would have it, compared as the column compares. What its character set lacks
    /// becomes `?`: beside a column that has a `?` there, nothing is known.
    func text(_ sql: String) -> String { "CONVERT(\(sql) USING \(characterSet)) COLLATE \(name)" }
}
