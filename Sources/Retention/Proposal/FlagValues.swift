/// The values that were seen in a column, as those of a flag.
struct FlagValues {
    private let all: Set<SketchedValue>
    /// Those that are not NULL.
    private let seen: Set<SketchedValue>
    private let texts: Set<String>

    init(_ values: [SketchedValue]) {
        all = Set(values)
        seen = all.subtracting([.null])
        texts = Set(seen.compactMap { if case .text(let text) = $0 { text } else { nil } })
    }

    /// Whether no row has a value.
    var areUnset: Bool { seen.allSatisfy(\.isUnset) }

    /// Whether all values are texts.
    var areTexts: Bool { texts.count == seen.count }

    /// The values if all are small numbers; a column without values may have them.
    var numbers: Set<Int64>? {
        let numbers = integers
        return numbers.count == seen.count && numbers.allSatisfy { (-1...9).contains($0) } ? numbers : nil
    }

    private var integers: Set<Int64> {
        Set(seen.compactMap { if case .integer(let number) = $0 { number } else { nil } })
    }

    /// Whether the values are two, such as 0 and 1 or no and yes.
    var isFlag: Bool {
        numbers?.isSubset(of: [0, 1]) == true || areTexts && areBooleans
    }

    /// Whether all values are answers of a server, such as 200 and 404.
    var areAnswers: Bool {
        !seen.isEmpty && integers.count == seen.count && integers.allSatisfy { (100..<600).contains($0) }
    }

    /// Whether some rows have a value and others none, or one of `unset`.
    func isVaried(besides unset: [String]) -> Bool {
        Set(all.map { $0.isUnset || unset.map(SketchedValue.text).contains($0) }).count == 2
    }

    /// Whether some rows have one of these texts and others not.
    func isVaried(in texts: [String]) -> Bool {
        Set(all.map { texts.map(SketchedValue.text).contains($0) }).count == 2
    }

    // MARK: - Texts

    /// The texts that mean no, if all texts mean yes or no.
    var falseTexts: [String] {
        areBooleans ? texts.filter { Self.no.contains($0.lowercased()) }.sorted() : emptyTexts
    }
    /// The texts that mean yes, if all texts mean yes or no.
    var trueTexts: [String] {
        areTexts && areBooleans ? texts.filter { Self.yes.contains($0.lowercased()) }.sorted() : []
    }
    /// The texts that mean that a person is done with the row.
    var doneTexts: [String] {
        areTexts ? texts.filter { Self.done.contains($0.lowercased()) }.sorted() : []
    }
    /// The texts of an empty list.
    var emptyTexts: [String] { texts.filter(Self.empty.contains).sorted() }

    private var areBooleans: Bool {
        texts.allSatisfy { Self.no.contains($0.lowercased()) || Self.yes.contains($0.lowercased()) }
    }

    private static let yes: Set = ["true", "yes", "y", "t", "on", "1"]
    private static let no: Set = ["false", "no", "n", "f", "off", "0", ""]
    private static let empty: Set = ["", "[]", "{}", "null", ","]
    private static let done: Set = [
        "read", "seen", "viewed", "done", "completed", "complete", "finished", "processed", "delivered",
        "acknowledged",
        "watched", "played", "listened", "synced",
    ]

    // MARK: - SQL

    /// True of rows that have a time. A text is greater than any number, so `> 0` is true of an empty text.
    func sqlIsTime(_ sql: String) -> String {
        seen.contains(where: \.isUnset) ? "coalesce(\(sql), 0) NOT IN (0, '')" : "\(sql) IS NOT NULL"
    }

    /// True of all rows but those whose value certainly means no: NULL, zero, an empty text, and `unset`.
    func sqlIsSet(_ sql: String, besides unset: [String], isTime: Bool) -> String {
        if isTime, !seen.contains(where: \.isUnset) { return "\(sql) IS NOT NULL" }
        if !seen.isEmpty, integers.count == seen.count { return "\(sql) <> 0" }
        let no = [""] + unset.filter { !$0.isEmpty }
        guard areTexts else {
            return "coalesce(\(sql), 0) NOT IN (0, \(no.map(\.sqlText).joined(separator: ", ")))"
        }
        return no.count == 1 ? "coalesce(\(sql), '') <> ''" : "coalesce(\(sql), '') NOT IN (\(Self.list(no)))"
    }

    /// True of rows with one of these texts.
    static func sql(_ sql: String, in texts: [String]) -> String {
        texts.count == 1 ? "\(sql) = \(texts[0].sqlText)" : "\(sql) IN (\(list(texts)))"
    }

    private static func list(_ texts: [String]) -> String { texts.map(\.sqlText).joined(separator: ", ") }

    /// Some of the values, for a person.
    var inWords: String {
        guard !seen.isEmpty else { return "no values in the rows looked at" }
        let named = integers.sorted().map(String.init) + texts.sorted().map { "'\($0)'" }
        guard named.count == seen.count else { return "\(seen.count) different values" }
        return named.prefix(6).joined(separator: ", ") + (named.count > 6 ? " and more" : "")
    }
}

extension String {
    fileprivate var sqlText: String { "'\(replacing("'", with: "''"))'" }
}
