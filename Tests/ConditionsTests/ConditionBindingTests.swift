import Conditions
import Testing

@Suite("What a condition means to a table")
struct ConditionBindingTests {
    /// Tables whose names are compared without case.
    private struct Tables: ConditionTables {
        let all = [
            TypedTable(
                "item", sql: "item",
                columns: [
                    TypedColumn("id", .integer), TypedColumn("title", .text), TypedColumn("at", .time),
                    TypedColumn("read", .boolean), TypedColumn("seen", .boolean, countsAsInteger: true),
                    TypedColumn("score", .real), TypedColumn("price", .decimal), TypedColumn("more", .json),
                    TypedColumn("any", .loose), TypedColumn("shape", .other, declared: "point"),
                    TypedColumn("guid", .uuid),
                ]),
            TypedTable(
                "star", sql: "star", columns: [TypedColumn("item", .integer), TypedColumn("title", .text)]),
        ]

        func table(_ name: WrittenNames.Table) throws -> TypedTable {
            guard let table = all.first(where: { $0.name == name.name.text.lowercased() }) else {
                throw ConditionError("reads \(name.name.text)", at: name.name.offset)
            }
            return table
        }
        func compared(_ name: SQLName) -> String { name.text.lowercased() }
        func compared(catalog name: String) -> String { name.lowercased() }
    }

    private func bind(_ text: String) throws -> BoundCondition {
        let tables = Tables()
        return try ConditionBinding.bind(
            WrittenCondition(parsing: text), on: tables.all[0], as: "item", in: tables)
    }

    @Test(
        "values of one class are compared",
        arguments: [
            "ID = 1", "item.title = 'x'", "at < '2026-01-31'", "at < '2026-01-31T10:00:00.5+02:00'", "read",
            "NOT seen",
            "seen = 1", "seen = TRUE", "read = FALSE", "score > 0.5", "score > 1", "price > 0.5",
            "price = id",
            "id > 0.5", "more->>'k' = 'x'", "more->>'k' = 5", "more->>'k'", "title->>'k' = id", "any = 5",
            "any = title", "shape IS NULL", "more IS NULL", "guid <> '0F0E0D0C-0b0a-0908-0706-050403020100'",
            "guid IN (NULL)", "title = NULL", "coalesce(id, 0) = 1",
            "nullif(title, '') = 'x'",
            "at + INTERVAL '1d' > '2026-01-31'", "any LIKE 'x%'",
            "EXISTS (SELECT 1 FROM star WHERE star.item = item.id)", "id IN (SELECT item FROM star)",
            "EXISTS (SELECT 1 FROM star s, star t WHERE s.item = item.id AND t.item = s.item)",
        ])
    func accepted(text: String) throws { _ = try bind(text) }

    @Test(
        "values of two classes, and names that could come to mean another column, are refused",
        arguments: [
            ("id = 'x'", "compares id (integers) with the text 'x'", ""),
            ("title > 5", "compares title (texts) with the number 5", ""),
            ("at > 5", "compares at (times) with the number 5", ""),
            ("at < '2026-02-30'", "compares a time with '2026-02-30'", "written as"),
            ("at < 'now'", "compares a time with 'now'", "written as"),
            ("read = 1", "compares read (truth values) with the number 1", "TRUE or FALSE"),
            ("score = id", "compares score (numbers with a fraction) with id (integers)", ""),
            ("more = 'x'", "compares more (JSON) with the text 'x'", "->>"),
            ("guid = 'x'", "compares a UUID with 'x'", "written as"),
            ("guid = title", "compares guid (UUIDs) with title (texts)", ""),
            ("guid LIKE 'x'", "has guid (UUIDs) beside LIKE", ""),
            ("shape = shape", "compares shape", "IS NULL"),
            ("title", "has title where a truth value", "title = 'yes'"),
            ("id", "has id where a truth value", "id <> 0"),
            ("at", "has at where a truth value", "generated column"),
            ("titel = 'x'", "names titel, which is no column of item, at character 1", "title"),
            ("title = \"x\"", "names x, which is no column of item, at character 9", "stands in ''"),
            ("itm.title = 'x'", "names a column of itm, which is no table of it, at character 1", "item"),
            ("1 = 1", "is no condition on a row", ""),
            ("EXISTS (SELECT 1 FROM star)", "is no condition on a row", ""),
            (
                "EXISTS (SELECT 1 FROM star WHERE item = id)", "names id in a subquery without its table",
                "item.id"
            ),
            (
                "EXISTS (SELECT 1 FROM star a, star b WHERE item = item.id)",
                "names item, which two of its tables", ""
            ),
            ("EXISTS (SELECT 1 FROM item WHERE item.id = 1)", "reads item within a query", "AS other"),
            ("EXISTS (SELECT 1 FROM star item WHERE item.item = 1)", "reads item within a query", "AS other"),
            (
                "EXISTS (SELECT 1 FROM star \(String(repeating: "a", count: 64)) WHERE id = 1)",
                "names a table by more than 63 bytes", "shorter"
            ),
            ("title + 1 = 2", "has title (texts) beside +", ""),
            ("price + 1 = 2", "has price (exact numbers) beside +", ""),
            ("id LIKE 'x'", "has id (integers) beside LIKE", ""),
            ("id->>'k' = 'x'", "asks id for a member", ""),
            ("id IN (SELECT title FROM star)", "compares id (integers) with title (texts)", ""),
        ])
    func refused(text: String, cause: String, hint: String) throws {
        do {
            let bound = try bind(text)
            Issue.record("\(text) is \(bound)")
        } catch let error as ConditionError {
            #expect(error.cause(in: text).hasPrefix(cause), "\(error.cause(in: text))")
            #expect(hint.isEmpty || error.hint?.contains(hint) == true, "\(error)")
        }
    }
}
