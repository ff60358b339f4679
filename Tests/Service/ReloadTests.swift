import Foundation
import Testing

extension ServiceTests {
    @Suite("Reloading")
    struct ReloadTests {
        let service: FreshService

        init() throws {
            service = try FreshService()
            try service.start()
            try eventually("idle") { try service.isIdle() }
        }

        @Test("a good configuration is in force after the reload, in the same process")
        func goodFile() throws {
            let process = try service.property("MainPID")
            try service.configure {
                $0.replacing("\"5min\"", with: "\"2w\"").replacing("[rule.items]", with: "[rule.old-items]")
                    .replacing(/"183d"\nevery( +)= "1d"/) { "\"183d\"\nevery\($0.1)= \"1h\"" }
            }
            try service.container.run("systemctl", "reload", "pruned")
            try eventually("the new rule comes next") {
                try service.status().hasPrefix("Idle; next: old-items at ")
            }
            #expect(try service.property("MainPID") == process)
            let reloaded = try #require(service.journal().first { $0.kind == JournalRecord.Kind.reloaded })
            #expect(reloaded.message.contains("old-items"))
        }

        @Test("systemd sees the service reload, even when the signal does not come from systemctl reload")
        func notifiesReloading() throws {
            let change = try service.property("StateChangeTimestampMonotonic")
            try service.signal("HUP")
            try eventually("reloading, then active") {
                try service.property("StateChangeTimestampMonotonic") != change
                    && service.property("ActiveState") == "active"
            }
        }

        @Test("a bad configuration is explained in journal and status, and the old one stays in force")
        func badFile() throws {
            try service.configure { $0.replacing(/keep( += "183d")/) { "keeep\($0.1)" } }
            try expectRefusedReload()
            #expect(try service.property("ActiveState") == "active")
            #expect(try service.status().contains("/etc/pruned/pruned.toml: rule.items.keeep: unknown key"))
            let refusal = try #require(service.journal().first { $0.kind == JournalRecord.Kind.refused })
            #expect(refusal.priority == 3)
            #expect(
                refusal.message.contains(
                    "the old one stays in force: /etc/pruned/pruned.toml: rule.items.keeep: unknown key"))
            #expect(refusal.message.contains("did you mean \"keep\"?"))
            try expectOldItemsArePruned()
        }

        @Test("a mended configuration takes the refusal out of the status")
        func mendedFile() throws {
            try service.configure { "[" + $0 }
            try expectRefusedReload()
            try service.configure { String($0.dropFirst()) }
            try service.container.run("systemctl", "reload", "pruned")
            #expect(try service.isIdle() && !service.status().contains("refused"))
        }

        /// A reload that fails, and leaves the service as it was.
        private func expectRefusedReload() throws {
            let process = try service.property("MainPID")
            let reload = try service.container.attempt("systemctl", "reload", "pruned")
            #expect(reload.status != 0, "\(reload)")
            #expect(try service.status().contains("configuration refused: "))
            #expect(try service.property("ActiveState") == "active")
            #expect(try service.property("MainPID") == process)
            #expect(try service.journal().contains { $0.message.hasPrefix("reload refused: /etc/pruned/") })
        }

        @Test("SIGUSR1 runs every rule now")
        func runNow() throws { try expectOldItemsArePruned() }

        private func expectOldItemsArePruned() throws {
            try service.app("INSERT INTO item (id, timestamp) VALUES (1, 1500000000), (2, unixepoch())")
            try service.signal("USR1")
            try eventually("pruned") { try service.app("SELECT id FROM item") == "2" }
        }
    }
}
