import TestSupport
import Testing

@testable import PostgreSQLPruning

@Suite("How a definition of PostgreSQL is divided")
struct SQLLexerTests {
    @Test(
        "Names, texts, numbers and operators are told apart as the server does",
        arguments: [
            ("Read = 1", ["read", "=", "1"]), ("\"Read\"\"er\" is null", ["Read\"er", "is", "null"]),
            ("'it''s'", ["it's"]), (#"E'a\'b\n'"#, ["a'b\n"]), ("$$a;b$$", ["a;b"]),
            ("$x$a$$b$x$", ["a$$b"]), ("a/* b /* c */ d */-- e\nf", ["a", "f"]),
            ("a=-1", ["a", "=", "-", "1"]),
            ("a@-1", ["a", "@-", "1"]), ("1.5e-3 + .5", ["1.5e-3", "+", ".5"]),
            ("l.item::text", ["l", ".", "item", "::", "text"]), ("a->>'b'", ["a", "->>", "b"]),
            ("a<>/* */b", ["a", "<>", "b"]), ("a --b", ["a"]), ("über$1", ["über$1"]), ("x'1f'", ["1f"]),
            ("a[1:2]", ["a", "[", "1", ":", "2", "]"]),
        ])
    func tokens(text: String, expected: [String]) throws {
        #expect(try SQLLexer.tokens(of: text).map(\.text) == expected)
    }

    @Test(
        "What does not end, or means something else to another version, is refused at its place",
        arguments: [
            ("a = $1", 4), ("a; b", 1), ("'abc", 0), ("a \"b", 2), ("a /* b /* */", 2), ("$x$ a $y$", 0),
            ("a\0b", 1), (#"U&'\0061'"#, 0), (#"u&"\0061" = 1"#, 0), (#"E'\x41'"#, 2), (#"E'\101'"#, 2),
            ("'no'\n'w'", 5), ("'no' /**/ 'w'", 10), ("1a", 0), ("a = 0x1F", 4), ("a \\ b", 2), ("{a}", 0),
            ("\"\"", 0),
        ])
    func refusals(text: String, offset: Int) {
        let refused = #expect(throws: SQLLexer.Refused.self) { () throws in
            _ = try SQLLexer.tokens(of: text)
        }
        #expect(refused?.offset == offset)
    }

    @Test("No text makes it fail, and the tokens of every text are parts of it in order")
    func randomTexts() {
        var random = SeededGenerator(seed: 12)
        let parts = [
            "a", "'", "''", "\"", "$", "$x$", "$1", "/*", "*/", "--", "\n", "E'", "\\", "U&", "1", ".", "e",
            ";",
            "(", ")", "::", "ü", "@-", "-", " ",
        ]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...12, using: &random)
            let text = (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
            guard let tokens = try? SQLLexer.tokens(of: text) else { continue }
            var end = 0
            for token in tokens {
                #expect(token.range.lowerBound >= end && token.range.upperBound > token.range.lowerBound)
                end = token.range.upperBound
            }
            #expect(end <= text.utf8.count)
        }
    }
}
