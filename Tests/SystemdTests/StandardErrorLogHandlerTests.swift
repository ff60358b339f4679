import Foundation
import Logging
import Testing

@testable import Systemd

struct StandardErrorLogHandlerTests {
    @Test("plain text names the level only when something is wrong")
    func plainText() throws {
        let text = try written(style: .plain) {
            for level in Logger.Level.allCases { $0.log(level: level, "text") }
        }
        #expect(
            text == """
                pruned: text
                pruned: text
                pruned: text
                pruned: text
                pruned: warning: text
                pruned: error: text
                pruned: critical: text

                """)
    }

    @Test(
        "what to do stands on a line of its own for people, and behind the message for a service manager",
        arguments: [
            (.plain, "pruned: error: text\n        do\\nthat\n"), (.prefixed, "<3>text; do\\nthat\n"),
        ] as [(StandardErrorLogHandler.Style, String)])
    func hint(style: StandardErrorLogHandler.Style, expected: String) throws {
        let text = try written(style: style) { $0.error("text", metadata: ["hint": "do\nthat", "A": "b"]) }
        #expect(text == expected)
    }

    @Test("prefixed text carries the syslog priority of each level")
    func prefixedText() throws {
        let text = try written(style: .prefixed) {
            for level in Logger.Level.allCases { $0.log(level: level, "text") }
        }
        #expect(text == "<7>text\n<7>text\n<6>text\n<5>text\n<4>text\n<3>text\n<2>text\n")
    }

    @Test(
        "a message is one line, whatever is in it",
        arguments: [StandardErrorLogHandler.Style.plain, .prefixed])
    func oneLine(style: StandardErrorLogHandler.Style) throws {
        struct Damaged: Error, CustomStringConvertible { let description = "a\r\n<0>b" }
        let text = try written(style: style) { $0.error("x\n\u{1B}[2Jy\0\u{2028}", error: Damaged()) }
        #expect(text.hasSuffix(#"x\n\u{1B}[2Jy\0\u{2028}: a\r\n<0>b"# + "\n"))
        #expect(text.unicodeScalars.filter { $0.properties.generalCategory == .control }.count == 1)
    }

    @Test("a message arrives whole even when it is longer than the pipe")
    func longLine() throws {
        let long = String(repeating: "x", count: 300_000)
        let text = try written(style: .plain) { $0.info("\(long)") }
        #expect(text == "pruned: \(long)\n")
    }

    @Test("messages below the level are not written, info and above are by default")
    func level() throws {
        let text = try written(style: .plain, level: nil) {
            $0.debug("hidden")
            $0.info("shown")
        }
        #expect(text == "pruned: shown\n")
    }

    /// What a logger of this style writes to the far end of a pipe.
    private func written(
        style: StandardErrorLogHandler.Style, level: Logger.Level? = .trace, _ body: (Logger) -> Void
    ) throws -> String {
        let pipe = Pipe()
        let far = pipe.fileHandleForReading
        let all = DispatchQueue(label: "reader")
        // Safe, since only blocks on the serial queue touch it.
        nonisolated(unsafe) var data = Data()
        all.async { data = far.readDataToEndOfFile() }

        var handler = StandardErrorLogHandler(
            identifier: "pruned", style: style, fileDescriptor: pipe.fileHandleForWriting.fileDescriptor)
        if let level { handler.logLevel = level }
        body(Logger(label: "test") { _ in handler })
        try pipe.fileHandleForWriting.close()
        return all.sync { String(decoding: data, as: UTF8.self) }
    }
}
