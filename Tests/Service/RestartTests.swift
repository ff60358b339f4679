import Foundation
import Testing

extension ServiceTests {
    @Suite("Unexpected ends")
    struct RestartTests {
        let service: FreshService

        init() throws { service = try FreshService() }

        @Test(
            "the service comes back after a signal that systemctl did not send",
            arguments: ["KILL", "TERM", "ABRT"])
        func strayingSignal(name: String) throws {
            try service.start()
            let process = try service.property("MainPID")
            let restarts = try service.restarts()
            try service.container.shell("kill -\(name) \(process)")
            try eventually("another process is active", within: 15) {
                // Between the end of one and the start of the next it is 0.
                let current = try service.property("MainPID")
                return try ![process, "0"].contains(current) && service.property("ActiveState") == "active"
            }
            #expect(try service.restarts() == restarts + 1)
        }

        @Test("a configuration error ends the service for good, and the journal says what is wrong")
        func configurationError() throws {
            let restarts = try service.restarts()
            try service.configure { $0 + "[rule.more]\ntable = \"tweeet\"\n" }
            #expect(try service.container.attempt("systemctl", "start", "pruned").status != 0)
            #expect(try service.property("ActiveState") == "failed")
            #expect(try service.property("ExecMainStatus") == "78")
            #expect(try service.restarts() == restarts)
            let refusal = try #require(
                service.programJournal().first { $0.kind == JournalRecord.Kind.refused })
            #expect(refusal.priority == 3)
            #expect(refusal.message.contains("/etc/pruned/pruned.toml: rule.more"))
            let explained = try service.container.run(
                "journalctl", "--catalog", "--no-pager", "--lines=1",
                "MESSAGE_ID=\(JournalRecord.Kind.refused)")
            #expect(explained.contains("Subject: The configuration was refused"))
        }

        @Test("a rule on a table that the store has not fails alone: the service starts, and says so once")
        func missingTable() throws {
            try service.start()
            try service.container.run("systemctl", "stop", "pruned")
            try service.configure { $0.replacing("\"item\"", with: "\"itm\"") }
            try service.start()
            try eventually("the rule's failure") {
                try service.journal().count { $0.kind == JournalRecord.Kind.runFailed } == 1
            }
            let failure = try service.journal().first { $0.kind == JournalRecord.Kind.runFailed }
            #expect(failure?.message.contains("itm") == true && failure?.priority == 3)
            #expect(try service.property("ActiveState") == "active")
        }

        /// With a short pause, lest the test take a minute.
        @Test("a service that ends at every start is given up after at most ten times")
        func crashLoop() throws {
            try service.override("RestartSec=20ms")
            try service.container.shell(
                "head -c 8192 /dev/urandom | install -o pruned -g pruned -m 660 /dev/stdin \(FreshService.store)"
            )
            _ = try service.container.attempt("systemctl", "start", "pruned")
            try eventually("given up") { try service.property("ActiveState") == "failed" }
            #expect(try service.property("ExecMainStatus") == "65")
            let starts = try service.journal().filter { $0.message.hasPrefix("Starting ") }
            #expect((2...10).contains(starts.count))
            #expect(
                try service.journal().contains { $0.message.contains("Start request repeated too quickly") })
        }
    }
}
