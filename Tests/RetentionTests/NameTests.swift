import Retention
import Testing

struct NameTests {
    @Test(
        "letters, digits and inner signs make a name, up to 64 characters",
        arguments: ["a", "7", "read-records", "A.b_c-9", String(repeating: "x", count: 64)])
    func names(text: String) {
        #expect(Name(text)?.description == text)
    }

    @Test(
        "anything that would need quoting somewhere is not a name",
        arguments: [
            "", "-a", ".a", "_a", "a b", "/a", "a/", "a/b/c", "a/b c", "a\n", "a\r\n", "ä", "e\u{301}", "٣",
            "a\0", "a\"b",
            String(repeating: "x", count: 65),
        ])
    func notNames(text: String) {
        #expect(Name(text) == nil)
    }

    @Test(
        "a store of a family is named by what tells it apart, as a URL has it",
        arguments: [
            ("ada", "f/ada"), ("c.d@x.org", "f/c.d@x.org"), ("Profile 1", "f/Profile%201"),
            ("50%", "f/50%25"), ("Jos\u{E9}", "f/Jos%C3%A9"), ("..", "f/.."),
        ])
    func members(text: String, name: String) throws {
        #expect(Name(text, of: "f")?.description == name)
        #expect(Name(name)?.family == "f")
    }

    @Test(
        "what cannot be printed, or is long or empty, names no store",
        arguments: ["", "a\u{7}", "a\u{202E}b", "a\u{FFFD}", "\u{2028}", String(repeating: "x", count: 129)])
    func notMembers(text: String) {
        #expect(Name(text, of: "f") == nil)
    }

    @Test(
        "a pattern has one * and matches what is not empty",
        arguments: [
            ("u*.db", "uada.db", "ada"), ("u*.db", "u.db", nil), ("*", "a", "a"), ("ab*ba", "aba", nil),
            ("x*", "ya", nil),
        ] as [(String, String, String?)])
    func patterns(pattern: String, text: String, matched: String?) {
        #expect(FamilyPattern(pattern)?.matched(in: text) == matched)
    }

    @Test("without a *, or with two, it is none", arguments: ["", "a", "a*b*"])
    func notPatterns(text: String) {
        #expect(FamilyPattern(text) == nil)
    }

    @Test("a column is written table.column, both not empty", arguments: ["", "a", ".b", "a.", "."])
    func notColumns(text: String) {
        #expect(ColumnReference(text) == nil)
    }

    @Test("a column reference reads what it writes")
    func column() {
        #expect(ColumnReference("tweet.id") == ColumnReference(table: "tweet", column: "id"))
        #expect(ColumnReference(table: "tweet", column: "id").description == "tweet.id")
    }
}
