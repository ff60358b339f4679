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
            "", "-a", ".a", "_a", "a b", "a/b", "a\n", "a\r\n", "ä", "e\u{301}", "٣", "a\0", "a\"b",
            String(repeating: "x", count: 65),
        ])
    func notNames(text: String) {
        #expect(Name(text) == nil)
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
