import Foundation
import Testing

@testable import PolicyFile

/// What a rule means for some rows, on every engine.
///
/// A file of `cases` has the tables in neutral types, the rules as in `pruned.toml` but without their store, and of each row
/// why it stays. The rules run at 2026-11-20T12:00:00Z. A file with `[[variant]]` is played once for each, with its texts in
/// place of `$NAME`.
struct Case {
    /// What is shown.
    let title: String
    let tables: [CaseTable]
    /// Indexes that a rule needs, such as `item (feed, at)`.
    let indexes: [String]
    let rules: String
    /// What rules are refused or held with; nil if all run. If the tables say why rows stay, the hint is a line for the
    /// rule, with which it runs.
    let refusal: Refusal?
    /// How many rows each rule takes of one copy.
    let takes: [Int64]?
    /// What is said before the run.
    let remark: String?
    /// Rules whose rows came back before, so that they have a lease.
    let restored: String?
    /// What the app does between the run and the restore.
    let meanwhile: [String]
    /// How many rows a restore leaves in the archive, by the reason.
    let skipped: [String: Int64]
    /// How many rows a run finds again after `meanwhile`. Nothing is restored then.
    let cameBack: Int64?
    /// Whether it may be played with many copies of the rows, which are groups of their own.
    let isScaled: Bool

    struct Refusal {
        let cause: String
        let hint: String?
        /// The key of the rule in whose place the hint is.
        let instead: String?
        /// Whether a person may let the rules through.
        let isHold: Bool
        /// The rules that it is about; nil if all.
        let rules: [String]?
    }

    private static let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "cases")

    /// A file, and which of its variants.
    struct Name: CustomTestStringConvertible, Sendable {
        let file: String
        let variant: Int?
        var testDescription: String { file + (variant.map { " \($0 + 1)" } ?? "") }
    }

    /// All files and variants.
    static let names: [Name] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return files.filter { $0.hasSuffix(".toml") }.map { String($0.dropLast(5)) }.sorted().flatMap {
            file -> [Name] in
            let variants = (try? TOMLTable(parsing: text(of: file)))?["variant"]?.array
            return variants.map { $0.indices.map { Name(file: file, variant: $0) } }
                ?? [Name(file: file, variant: nil)]
        }
    }()

    /// Those that are played with many rows: variants differ in what is read of a rule, not in how its rows are found.
    static var scaledNames: [Name] {
        names.filter { [nil, 0].contains($0.variant) && (try? Case($0))?.isScaled != false }
    }

    private static func text(of file: String) throws -> String {
        try String(contentsOf: directory.appending(path: "\(file).toml"), encoding: .utf8)
    }

    private static let keys: Set = [
        "title", "indexes", "rules", "cause", "held", "hint", "instead", "refused", "takes", "remark",
        "restored",
        "meanwhile", "skipped", "came_back", "scaled", "table", "variant",
    ]

    init(_ name: Name) throws {
        var text = try Self.text(of: name.file)
        if let variant = name.variant {
            let variants = try #require(TOMLTable(parsing: text)["variant"]?.array)
            let values = try #require(variants[variant].table)
            // The longest first: one name may begin with another.
            for key in values.keys.sorted(by: { $0.count > $1.count }) {
                text.replace("$\(key)", with: values[key]?.string ?? "")
            }
        }
        try self.init(TOMLTable(parsing: text), "\(name.testDescription)")
    }

    private init(_ file: TOMLTable, _ name: String) throws {
        #expect(Set(file.keys).isSubset(of: Self.keys), "\(name) has other keys: \(file.keys)")
        title = try #require(file["title"]?.string)
        rules = try #require(file["rules"]?.string)
        indexes = file.texts("indexes").filter { !$0.isEmpty }
        refusal = (file["cause"] ?? file["held"])?.string.map {
            let refused = file.texts("refused")
            return Refusal(
                cause: $0, hint: file["hint"]?.string.flatMap { $0.isEmpty ? nil : $0 },
                instead: file["instead"]?.string, isHold: file["held"] != nil,
                rules: refused.isEmpty ? nil : refused)
        }
        takes = file["takes"]?.array?.compactMap(\.integer)
        remark = file["remark"]?.string
        restored = file["restored"]?.string
        meanwhile = file.texts("meanwhile")
        skipped =
            (file["skipped"]?.table).map { table in
                table.keys.reduce(into: [:]) { $0[$1] = table[$1]?.integer }
            } ?? [:]
        cameBack = file["came_back"]?.integer
        isScaled = file["scaled"]?.bool ?? true
        tables = try #require(file["table"]?.array).map {
            let table = try #require($0.table)
            return try CaseTable(
                #require(table["name"]?.string), #require(table["rows"]?.string),
                afterRun: table["after_run"]?.string, afterRestore: table["after_restore"]?.string)
        }
    }

    private init(_ refused: Case, rules: String) {
        (title, tables, indexes, takes) = (refused.title, refused.tables, refused.indexes, refused.takes)
        (remark, restored, meanwhile) = (refused.remark, refused.restored, refused.meanwhile)
        (skipped, cameBack, isScaled) = (refused.skipped, refused.cameBack, refused.isScaled)
        (self.rules, refusal) = (rules, nil)
    }

    /// The same with the line that the refusal says to help; nil if the case does not go on.
    var helped: Case? {
        guard let refusal, let hint = refusal.hint, tables.contains(where: \.tellsReasons) else { return nil }
        let key = refusal.instead.map { $0 + " " } ?? String(hint.prefix { $0 != "=" })
        let lines = rules.split(separator: "\n").filter { !$0.hasPrefix(key) }
        return Case(self, rules: (lines + [Substring(hint)]).joined(separator: "\n") + "\n")
    }
}

extension TOMLTable {
    fileprivate func texts(_ key: String) -> [String] { (self[key]?.array ?? []).compactMap(\.string) }
}

/// A table of a case: a line of columns, each with its type, and a line for each row.
struct CaseTable {
    let name: String
    let columns: [Column]
    /// The places of the columns of the primary key: those in `PRIMARY KEY (...)`, or else the first.
    let key: [Int]
    let rows: [Row]
    /// Whether it says of each row why that stays.
    let tellsReasons: Bool
    /// The rows after the run, and after the restore, where these say more than the reasons.
    let afterRun, afterRestore: [Row]?

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
            case int, text, bool, real, uuid
            /// Such as `-30d`, or `-30d1s`: relative to the start of the run.
            case time
            /// The same as an integer of seconds.
            case seconds
        }
    }

    struct Row {
        var values: [String]
        /// The key of what keeps the row, as `plan` says it; empty if it goes, `added` if the run adds it, and `no time` if
        /// it has none.
        let reason: String
    }

    init(_ name: String, _ text: String, afterRun: String?, afterRestore: String?) throws {
        self.name = name
        var lines = Self.fields(text)
        var header = lines.removeFirst()
        tellsReasons = header.last == "stays"
        if tellsReasons { header.removeLast() }
        let columns = try header.map { field in
            let words = field.split(separator: " ", maxSplits: 2).map(String.init)
            let type = try #require(words.count > 1 ? Column.Kind(rawValue: words[1]) : nil, "\(field)")
            return Column(name: words[0], type: type, constraint: words.count > 2 ? words[2] : "")
        }
        self.columns = columns
        let names = columns.compactMap { try? /PRIMARY KEY \((.+)\)/.firstMatch(in: $0.constraint)?.1 }
        key = columns.indices.filter { column in
            names.first?.split(separator: ", ").contains { $0 == columns[column].name } ?? (column == 0)
        }
        let (width, tells) = (header.count, tellsReasons)
        rows = try lines.map { fields in
            try #require(fields.count == width + (tells ? 1 : 0), "\(fields)")
            return Row(values: Array(fields.prefix(width)), reason: tells ? fields[width] : "")
        }
        let later = { (text: String?) throws in
            try text.map {
                try Self.fields($0).map { fields in
                    try #require(fields.count == width, "\(fields)")
                    return Row(values: fields, reason: "")
                }
            }
        }
        (self.afterRun, self.afterRestore) = (try later(afterRun), try later(afterRestore))
    }

    private static func fields(_ text: String) -> [[String]] {
        text.split(separator: "\n").map { line in
            line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        }
    }

    /// The rows before the run.
    var before: [Row] { rows.filter { $0.reason != "added" } }

    /// The rows that rules take.
    var going: [Row] { tellsReasons ? rows.filter(\.reason.isEmpty) : [] }

    /// The rows that rules take, by their first columns.
    var goes: Set<String> { Set(going.map { $0.values[0] }) }

    /// The rows that a run adds, by their first columns.
    var added: Set<String> { Set(rows.filter { $0.reason == "added" }.map { $0.values[0] }) }

    /// How many rows stay for each reason.
    var reasons: [String: Int64] { rows.reduce(into: [:]) { $0[$1.reason, default: 0] += 1 } }
}
