import TestSupport
import Testing

@testable import Retention

@Suite("How the text of a schema is divided")
struct SchemaWordsTests {
    @Test(
        "names, texts, numbers and symbols",
        arguments: [
            ("Read = 1", ["Read", "=", "1"]), ("\"Read\"\"er\" \"plain\"", ["\"Read\"\"er\"", "plain"]),
            ("'it''s'", ["'it''s'"]), ("a/* b */c -- d\n e", ["a", "c", "e"]),
            ("1.5<>x", ["1", ".", "5", "<", ">", "x"]),
            ("l.item::text", ["l", ".", "item", ":", ":", "text"]), ("über$1", ["über$1"]),
            ("\"\"", ["\"\""]),
            ("\"1a\"", ["\"1a\""]), ("x'1f'", ["x", "'1f'"]), ("/* a", []),
        ])
    func words(text: String, expected: [String]) throws {
        let words = try SchemaWords.lines(of: text).flatMap(\.words)
        #expect(words == expected)
        #expect(try SchemaWords.lines(of: SchemaWords.joined(words)).flatMap(\.words) == words)
    }

    @Test("in SQL only names in quotation marks have capitals")
    func sql() throws {
        #expect(
            try SchemaWords.all(ofSQL: "Read = \"Old\" AND 'New'") == ["read", "=", "Old", "and", "'New'"])
    }

    @Test("what is joined is divided in the same way, whatever it is")
    func randomTexts() throws {
        var random = SeededGenerator(seed: 12)
        let parts = [
            "a", "''", "'x'", "\"\"", "\"b c\"", "$", "/", "*", "-", "+", "<", ">", "\n", "1", ".", "(", ")",
            ":",
            ";", ",", "[", "]", "ü", "|", " ", "=",
        ]
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 0...12, using: &random))
                .map { _ in parts.randomElement(using: &random) ?? "" }.joined(separator: " ")
            let words = try SchemaWords.lines(of: text).flatMap(\.words)
            #expect(try SchemaWords.lines(of: SchemaWords.joined(words)).flatMap(\.words) == words, "\(text)")
        }
    }
}
