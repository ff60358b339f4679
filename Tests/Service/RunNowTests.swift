import Foundation
import Testing

extension ServiceTests {
    @Suite("Running by hand beside the service")
    struct RunNowTests {
        let service: FreshService

        init() throws { service = try FreshService() }

        @Test("whatever root's run leaves behind belongs to the service")
        func leavesNothingOfRoots() throws {
            try service.container.shell("umask 077 && pruned --run-now")
            let files = try service.container.shell(
                "cd /var/lib/pruned && stat -c '%n %a %U %G' * archive/* ledger/* shared/*")
            let expected = [
                "archive 2700", "ledger 2700", "shared 2770", "status.json 640", "archive/reader 2700",
                "ledger/state.sqlite 600", "shared/reader.sqlite 660",
            ]
            #expect(files == expected.map { "\($0) pruned pruned" }.joined(separator: "\n"))
            try service.start()
            try eventually("idle") { try service.isIdle() }
        }

        @Test("the service does not repeat what was run by hand")
        func sharesTheLedger() throws {
            try service.configure { $0.replacing("\"5min\"", with: "\"1d\"") }
            try service.container.run("pruned", "--run-now")
            let tomorrow = try service.container.run("date", "-d", "+20 hours", "+%F %T")
            try service.start()
            let status = try service.status()
            #expect(String(status.suffix(tomorrow.count)) > tomorrow, "\(status)")
        }

        @Test("root's run prunes what the running service would, and the service goes on")
        func runsBesideTheService() throws {
            try service.start()
            try eventually("idle") { try service.isIdle() }
            try service.app("INSERT INTO item (id, timestamp) VALUES (1, 1500000000), (3, unixepoch())")
            let report = try service.container.run("pruned", "--run-now", "--json")
            #expect(report.contains("\"deleted\":1,"))
            try service.app("INSERT INTO item (id, timestamp) VALUES (2, 1500000000)")
            try service.signal("USR1")
            try eventually("pruned") { try service.app("SELECT id FROM item") == "3" }
        }

        @Test("a service that finds its store held says so once, and runs when its turn comes")
        func waitsItsTurn() throws {
            try service.start()
            try eventually("idle") { try service.isIdle() }
            try service.app("INSERT INTO item (id, timestamp) VALUES (1, 1500000000), (3, unixepoch())")
            let holder = try StoreHolder(in: service.container)
            defer { try? holder.stop() }
            try service.signal("USR1")
            try eventually("skipped") {
                try service.status().contains("feed-cache skipped: another run uses it")
            }
            let skips = try service.journal().filter { $0.kind == JournalRecord.Kind.runSkipped }
            #expect(Set(skips.map { $0["PRUNED_RULE"] }).count == skips.count)
            try holder.stop()
            try eventually("pruned", within: 60) { try service.app("SELECT id FROM item") == "3" }
        }
    }
}
