import Foundation
import Testing

extension ServiceTests {
    @Suite("Starting")
    struct StartTests {
        let service: FreshService
        /// Each look of the app opens and closes the store; the last to close it keeps all others out for a moment, and a
        /// service that meets it leaves the store alone for 15 s.
        private static let afterSkip = 40

        init() throws { service = try FreshService() }

        @Test("systemctl start returns with the service active and a status that says what comes next")
        func reachesReady() throws {
            try service.start()
            #expect(try service.property("ActiveState") == "active")
            try eventually("idle") { try service.isIdle() }
            let shown = try service.container.run("systemctl", "status", "--no-pager", "pruned")
            #expect(shown.contains(/Status: "Idle; next: feed-cache at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d"/))
        }

        @Test("the service makes its store, for its own user and group alone")
        func ownsItsStore() throws {
            try service.start()
            let process = try service.property("MainPID")
            let stat = ["-c", "%a %U %G"]
            let owner = try service.container.run("stat", "-c", "%U %G", "/proc/\(process)")
            #expect(owner == "pruned pruned")
            #expect(
                try service.container.attempt(["stat"] + stat + ["/var/lib/pruned"]).answer()
                    == "2750 pruned pruned")
            #expect(
                try service.container.attempt(["stat"] + stat + [FreshService.store]).answer()
                    == "660 pruned pruned")
        }

        @Test(
            "an app in the group reads and writes the store that the service made, and the service prunes it")
        func appJoinsLater() throws {
            try service.start()
            try eventually("idle") { try service.isIdle() }
            try service.app("INSERT INTO item (id, timestamp) VALUES (1, 1500000000), (2, unixepoch())")
            try service.signal("USR1")
            try eventually("the expired item is gone", within: Self.afterSkip) {
                try service.app("SELECT id FROM item") == "2"
            }
        }

        @Test("the service prunes a store that the app made, and the app goes on using it")
        func appCameFirst() throws {
            try service.container.run(
                "runuser", "-u", "app", "--", "reader", "sample", "--records=1000",
                "--state-dir=/var/lib/pruned")
            try service.start()
            try eventually("the expired records are gone", within: Self.afterSkip) {
                try service.app(
                    "SELECT count(*) FROM read_record WHERE created_at < unixepoch() - 32 * 86400") == "0"
            }
            try service.app("INSERT INTO item (id, timestamp) VALUES (10000, unixepoch())")
            #expect(
                try service.container.run("stat", "-c", "%a %U %G", FreshService.store) == "660 app pruned")
        }

        @Test("an enabled service comes up with the system")
        func startsAtBoot() throws {
            try service.container.run("systemctl", "enable", "pruned")
            defer { _ = try? service.container.run("systemctl", "disable", "pruned") }
            // What booting does; a container that restarts would have a new first process.
            try service.container.run("systemctl", "start", "multi-user.target")
            try eventually("active") { try service.property("ActiveState") == "active" }
        }

        @Test("a start writes nothing to the journal that an administrator need not know")
        func isQuiet() throws {
            try service.start()
            try eventually("idle") { try service.isIdle() }
            let messages = try service.journal().filter(\.isOurs).map(\.message)
            #expect(
                messages == ["ready: rules feed-cache, items, timeline, read-records, users; stores reader"])
        }
    }
}
