import Foundation
import TestSupport
import Testing

@testable import TerminalText

@Suite struct EscapedTextTests {
    @Test(
        "a message is one line that no terminal obeys, with all of it still there",
        arguments: [
            ("grün 日本 👨‍👩‍👧 \\n", "grün 日本 👨‍👩‍👧 \\n"), ("a\nb\r\tc", #"a\nb\r\tc"#), ("\u{1B}[2J", #"\u{1B}[2J"#),
            ("a\0b", #"a\0b"#), ("\u{2028}\u{202E}\u{2066}", #"\u{2028}\u{202E}\u{2066}"#),
            ("\u{FFFE}\u{1FFFF}", #"\u{FFFE}\u{0001FFFF}"#),
            (String(decoding: [0x61, 0xFF], as: UTF8.self), "a\u{FFFD}"),
        ])
    func onOneLine(text: String, expected: String) { #expect(text.onOneLine == expected) }

    @Test(
        "prose has spaces where its lines broke, and nothing that a terminal obeys",
        arguments: [
            ("a\r\nb\tc\u{2028}d", "a b c d"), ("\u{1B}[31mred\u{202E}", "[31mred"),
            ("e\u{301} 👨‍👩‍👧", "e\u{301} 👨‍👩‍👧"),
        ])
    func flattened(text: String, expected: String) { #expect(text.flattened == expected) }

    @Test("JSON keeps its meaning where its characters are escaped")
    func json() throws {
        let texts = ["a\u{85}\u{202E}b", "\u{1FFFF}", "ü😀"]
        let json = String(decoding: try JSONEncoder().encode(texts), as: UTF8.self).escapedAsJSON
        #expect(try JSONDecoder().decode([String].self, from: Data(json.utf8)) == texts)
        #expect(json == #"["a\u0085\u202eb","\ud83f\udfff","ü😀"]"#)
    }

    @Test("a TOML escape names its character, however large that is")
    func toml() {
        #expect(Unicode.Scalar("\u{1B}").tomlEscape == #"\u001B"#)
        #expect(Unicode.Scalar("\u{E0001}").tomlEscape == #"\U000E0001"#)
        #expect(Unicode.Scalar("\u{200D}").isInvisible && !Unicode.Scalar("\u{200D}").isObeyed)
    }

    @Test(
        "a shell reads a word as what it was made of",
        arguments: [
            "", "/var/lib/reader-1.sqlite", "a b", "it's", "''", "'\u{301}; id", "$HOME `id` \"x\" \\ *?~",
            "a\nb",
            "--x=y", "日本",
        ])
    func shellWord(text: String) throws {
        #expect(try Program(["sh", "-c", "printf %s \(text.shellWord)"]).run().output == text)
    }

    @Test("a word that every shell takes as it is has no quotes")
    func plainWord() {
        #expect("/etc/pruned/a_b,c:d@e+f%g.toml".shellWord == "/etc/pruned/a_b,c:d@e+f%g.toml")
        #expect("a b".shellWord == "'a b'")
    }
}
