import Foundation
import Testing

@testable import PolicyFile

/// What a rule means for some rows, on every engine.
///
/// A file of `cases` has the tables in neutral types, the rules as in `pruned.toml` but without their store, and of each row
/// why it stays. The rules run at 2026-11-20T12:00:00Z.
struct Case {
    /// What is shown.
    let title: String
    let tables: [CaseTable]
    /// Indexes that a rule needs, such as `item (feed, at)`.
    let indexes: [String]
    let rules: String
    /// What each rule is refused with; nil if they run.
    let refusal: (cause: String, hint: String?)?
    /// Whether it may be played with many copies of the rows, which are groups of their own.
    let isScaled: Bool

    private static let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "cases")

    /// The names of all files.
    static let names: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return files.filter { $0.hasSuffix(".toml") }.map { String($0.dropLast(5)) }.sorted()
    }()

    init(_ name: String) throws {
        let text = try String(contentsOf: Self.directory.appending(path: "\(name).toml"), encoding: .utf8)
        let file = try TOMLTable(parsing: text)
        let known = ["title", "indexes", "rules", "cause", "hint", "scaled", "table"]
        #expect(Set(file.keys).isSubset(of: known), "\(name) has other keys: \(file.keys)")
        title = try #require(file["title"]?.string)
        rules = try #require(file["rules"]?.string)
        indexes = (file["indexes"]?.array ?? []).compactMap(\.string)
        refusal = file["cause"]?.string.map { ($0, file["hint"]?.string) }
        isScaled = file["scaled"]?.bool ?? true
        tables = try #require(file["table"]?.array).map {
            let table = try #require($0.table)
            return try CaseTable(#require(table["name"]?.string), #require(table["rows"]?.string))
        }
    }
}

/// A table of a case: a line of columns, each with its type, and a line for each row.
struct CaseTable {
    let name: String
    let columns: [Column]
    let rows: [Row]
    /// Whether it says of each row why that stays.
    let tellsReasons: Bool

    struct Column {
        let name: String
        let type: Kind
        /// What follows the type, such as `NOT NULL` or `REFERENCES feed ON DELETE CASCADE`.
        let constraint: String

        /// In a copy of all rows, keys, links and groups are others.
        enum Kind: String {
            case key, link, group
            /// A key that is a text, and a text that is another in each copy.
            case code, tag
            case int, text, bool
            /// Such as `-30d`, or `-30d1s`: relative to the start of the run.
            case time
            /// The same as an integer of seconds.
            case seconds
        }
    }

    struct Row {
        let values: [String]
        /// The key of what keeps the row, as `plan` says it; empty if it goes, and `added` if the run adds it.
        let reason: String
    }

    init(_ name: String, _ text: String) throws {
        self.name = name
        var lines = text.split(separator: "\n").map { line in
            line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        }
        var header = lines.removeFirst()
        tellsReasons = header.last == "stays"
        if tellsReasons { header.removeLast() }
        columns = try header.map { field in
            let words = field.split(separator: " ", maxSplits: 2).map(String.init)
            let type = try #require(words.count > 1 ? Column.Kind(rawValue: words[1]) : nil, "\(field)")
            return Column(name: words[0], type: type, constraint: words.count > 2 ? words[2] : "")
        }
        let (width, tells) = (header.count, tellsReasons)
        rows = try lines.map { fields in
            try #require(fields.count == width + (tells ? 1 : 0), "\(fields)")
            return Row(values: Array(fields.prefix(width)), reason: tells ? fields[width] : "")
        }
    }

    /// The rows that rules take, by their first columns.
    var goes: Set<String> { tellsReasons ? Set(rows.filter(\.reason.isEmpty).map { $0.values[0] }) : [] }

    /// The rows that a run adds, by their first columns.
    var added: Set<String> { Set(rows.filter { $0.reason == "added" }.map { $0.values[0] }) }

    /// How many rows stay for each reason.
    var reasons: [String: Int64] { rows.reduce(into: [:]) { $0[$1.reason, default: 0] += 1 } }
}
