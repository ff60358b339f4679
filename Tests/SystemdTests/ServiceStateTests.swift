import Systemd
import Testing

struct ServiceStateTests {
    @Test(
        "every state is written as systemd reads it",
        arguments: [
            (.ready, "READY=1"),
            (.stopping, "STOPPING=1"),
            (.reloading(monotonicMicroseconds: .max), "RELOADING=1\nMONOTONIC_USEC=18446744073709551615"),
            (.status("Idle until 12:00"), "STATUS=Idle until 12:00"),
            (.watchdog, "WATCHDOG=1"),
        ] as [(ServiceState, String)])
    func assignment(of state: ServiceState, is expected: String) {
        #expect(state.assignments == expected)
    }

    @Test(
        "a status stays on one line and is text that systemd accepts, whatever it contains",
        arguments: [
            ("a\nREADY=1", #"STATUS=a\nREADY=1"#),
            ("a\r\nb\tc", #"STATUS=a\r\nb\tc"#),
            ("a\0b", #"STATUS=a\0b"#),
            ("a\u{1B}[31mb", #"STATUS=a\u{1B}[31mb"#),
            ("a\u{7F}\u{85}b", #"STATUS=a\u{7F}\u{0085}b"#),
            ("a\u{2028}\u{2029}b", #"STATUS=a\u{2028}\u{2029}b"#),
            ("a\u{202E}b", #"STATUS=a\u{202E}b"#),
            ("Grüße, 日本 👩‍👧 \\ \"'", "STATUS=Grüße, 日本 👩‍👧 \\ \"'"),
            ("", "STATUS="),
        ])
    func status(_ text: String, isWrittenAs expected: String) {
        #expect(ServiceState.status(text).assignments == expected)
    }

    @Test("a status has no code point that systemd takes for broken UTF-8")
    func noncharactersAreEscaped() {
        let refused = Array(0xFDD0...0xFDEF) + (0...0x10).flatMap { [$0 << 16 | 0xFFFE, $0 << 16 | 0xFFFF] }
        for scalar in refused.compactMap({ Unicode.Scalar(UInt32($0)) }) {
            let assignment = ServiceState.status(String(scalar)).assignments
            #expect(assignment.hasPrefix(#"STATUS=\u{"#) && assignment.utf8.allSatisfy { $0 < 0x80 })
        }
    }

    @Test("a status is cut off between characters before systemd would drop the notification")
    func longStatusIsCutOff() {
        let name = "STATUS="
        let limit = name.utf8.count + ServiceState.longestStatus
        let fits = String(repeating: "x", count: ServiceState.longestStatus)
        #expect(ServiceState.status(fits).assignments == name + fits)

        for long in [fits + "x", String(repeating: "日", count: 5_000), String(repeating: "\n", count: 5_000)]
        {
            let assignment = ServiceState.status(long).assignments
            #expect(assignment.hasSuffix("…"))
            #expect((limit - 3...limit).contains(assignment.utf8.count))
            #expect(!assignment.contains("\u{FFFD}"))
        }
    }
}
