import TestSupport
import Foundation
import Testing

/// What comes out of the reading app, whatever went in.
@Suite struct ReaderOutputTests {
    /// What a terminal would obey: a title, a colour, the same by its 8-bit form, a reversed direction, line breaks.
    private static let hostile = #"""
        \u001b]0;owned\u0007 \u001b[31mred \u009b2J \u202eevil\u2066 line\nbreak\r\u2028\u2029\u0085\u000b\ttab \u0000nul
        """#
    @Test(
        "texts of the network break no line and reach no terminal",
        arguments: [["show"], ["timeline"], ["unread"], ["show", "--json"], ["timeline", "--json"]])
    func hostileTexts(arguments: [String]) throws {
        let state = try StateDirectory()
        // NUL is for the store to take or to refuse.
        let text = Self.hostile.replacing(#"\u0000"#, with: "")
        let tweet = Tweets.tweet(1, text, "2026-10-11T08:00:00Z", by: "ada")
            .replacing("\"screen_name\": \"ada\"", with: "\"screen_name\": \"\(text)\"")
        try state.importing("[\(tweet)]").checked()
        try state.store.query(
            """
            INSERT INTO read_record VALUES (char(27) || '[2J' || char(10) || 'id', 1791000000);
            INSERT INTO feed VALUES (1, 1791000000, 1791000000);
            INSERT INTO article VALUES (1, 0, char(155) || '31m' || char(13), char(27) || ']8;;' || char(10))
            """)
        let ended = try state.reader(arguments).run().checked()
        #expect(!ended.output.unicodeScalars.contains(where: isObeyed), "\(ended)")
        #expect(ended.output.contains("[31mred") && ended.output.contains("evil"))
        if arguments == ["timeline"] { #expect(ended.output.split(separator: "\n").count == 3, "\(ended)") }
        if arguments == ["timeline", "--json"] {
            let read = try #require(try ended.objects().first?["text"] as? String)
            let given = try JSONSerialization.jsonObject(with: Data("[\"\(text)\"]".utf8)) as? [String]
            #expect(given?.first.map { Array($0.unicodeScalars) } == Array(read.unicodeScalars))
        }
    }

    @Test("errors about such texts are one line, too")
    func hostileErrors() throws {
        let tweet = Tweets.tweet(1, "x", Self.hostile, by: "ada")
        let ended = try StateDirectory().importing("[\(tweet)]")
        #expect(ended.status == 65 && ended.saysOneLine, "\(ended)")
        #expect(!ended.errors.unicodeScalars.contains(where: isObeyed), "\(ended)")
        #expect(ended.errors.contains("is not a time"))
    }

    @Test("writing in any script comes out as it went in")
    func anyScript() throws {
        let text = "Grüße, 漢字, עברית, 👩‍👩‍👧, e\u{301}, \\\"quoted\\\" \\\\ back"
        let state = try StateDirectory()
        try state.importing("[\(Tweets.tweet(1, text, "2026-10-11T08:00:00Z", by: "ada"))]").checked()
        let shown = text.replacing("\\\"", with: "\"").replacing("\\\\", with: "\\")
        #expect(try state.reader("timeline").run().checked().output.hasSuffix("@ada        \(shown)\n"))
        #expect(try state.reader("timeline", "--json").run().objects().first?["text"] as? String == shown)
    }

    @Test(
        "a reader of the output that goes away is no error",
        arguments: [["show"], ["show", "--json"], ["items", "add", "5"]])
    func closedPipe(arguments: [String]) throws {
        let state = try StateDirectory.sampled(records: 10_000)
        let line = state.reader(arguments).line
        let pipe = Program(
            path: "bash", arguments: ["-c", "set -o pipefail; \"$@\" | true", "bash"] + line)
        let ended = try pipe.run()
        #expect(ended.status == 0 && ended.errors.isEmpty, "\(ended)")
        #expect(
            try state.store.count("SELECT count(*) FROM item") == (arguments[0] == "items" ? 1_005 : 1_000))
    }

    @Test(
        "output that cannot be written is an error (74)",
        arguments: [["show"], ["show", "--json"], ["items"]])
    func fullOutput(arguments: [String]) throws {
        var reader = try StateDirectory.sampled(records: 10).reader(arguments)
        reader.prefix = ["sh", "-c", "exec \"$0\" \"$@\" > /dev/full"]
        let ended = try reader.run()
        #expect(ended.status == 74 && ended.saysOneLine, "\(ended)")
        #expect(ended.errors.contains("cannot write standard output: No space left on device"))
    }

    private func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A: false
        case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029, 0x202E, 0x2066: true
        default: false
        }
    }
}
