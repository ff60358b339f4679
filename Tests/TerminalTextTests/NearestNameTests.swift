import Testing

@testable import TerminalText

@Suite("Nearest names")
struct NearestNameTests {
    @Test(
        "The name with few edits is meant, unless it says the contrary",
        arguments: [
            ("raed", ["read", "title"], "read"), ("titel", ["read", "title"], "title"),
            ("size", ["read", "title"], nil),
            ("is_read", ["is_unread", "id"], nil), ("unstarred", ["starred"], nil),
            ("not_sent", ["sent"], nil),
            ("is_read", ["is_unread", "is_red"], "is_red"), ("Item", ["items", "unitem"], "items"),
        ] as [(String, [String], String?)])
    func nearest(word: String, names: [String], meant: String?) {
        #expect(names.nearest(to: word) == meant)
    }
}
