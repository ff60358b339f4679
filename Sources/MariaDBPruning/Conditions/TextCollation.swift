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

    /// The text as the column would have it, compared as the column compares. `isOfSet` says that the
    /// character set of the column surely has all of it.
    ///
    /// What the set lacks becomes `?`: beside a column that has a `?` there, nothing is known. In strict mode
    /// the server would not mark a row, nor add one, where it has to replace a character itself. So it does
    /// in sets whose characters are not known here.
    func text(_ sql: String, isOfSet: Bool) -> String {
        let replaced = isOfSet ? nil : known.map { "REGEXP_REPLACE(\(sql), '[^\($0)]', '?')" }
        return "CONVERT(\(replaced ?? sql) USING \(characterSet)) COLLATE \(name)"
    }

    /// The characters of the set, for a regular expression; nil if it has all, or if that is not known.
    private var known: String? {
        switch characterSet {
        case "ascii": #"\x{0}-\x{7F}"#
        case "utf8", "utf8mb3", "ucs2": #"\x{0}-\x{FFFF}"#
        // Windows-1252, in truth.
        case "latin1":
            #"\x{0}-\x{7F}\x{81}\x{8D}\x{8F}\x{90}\x{9D}\x{A0}-\x{FF}\x{152}\x{153}\x{160}\x{161}\x{178}"#
                + #"\x{17D}\x{17E}\x{192}\x{2C6}\x{2DC}\x{2013}\x{2014}\x{2018}-\x{201A}\x{201C}-\x{201E}"#
                + #"\x{2020}-\x{2022}\x{2026}\x{2030}\x{2039}\x{203A}\x{20AC}\x{2122}"#
        default: nil
        }
    }

    /// Whether the character set surely has all characters of the operand.
    func has(_ operand: Operand<BoundNames>) -> Bool {
        switch operand {
        case .column(let column): TextCollation(column.column.detail)?.characterSet == characterSet
        case .literal(.text(let text)): text.utf8.allSatisfy { $0 < 0x80 }
        case .call(_, let values): values.allSatisfy(has)
        case .substring(let text, _, _): has(text)
        case .member: false
        case .literal, .arithmetic, .shifted: true
        }
    }
}
