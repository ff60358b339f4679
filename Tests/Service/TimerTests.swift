import Foundation
import Testing

extension ServiceTests {
    @Suite("Running by the timer")
    struct TimerTests {
        let service: FreshService

        init() throws { service = try FreshService() }

        @Test(
            "starting the timer stops the daemon, starting the daemon stops the timer, and neither has failed"
        )
        func oneOrTheOther() throws {
            try service.start()
            try service.container.run("systemctl", "start", "pruned-run.timer")
            // Who starts one does not wait for the other's end.
            try eventually("the timer alone") { try states() == ["inactive", "active"] }
            try service.start()
            try eventually("the daemon alone") { try states() == ["active", "inactive"] }
            #expect(try service.property("Result") == "success")
            #expect(try service.property("Result", of: "pruned-run.timer") == "success")
        }

        @Test("where both are to come up, as at a boot with both enabled, the daemon does, and nothing fails")
        func both() throws {
            // What a boot does: both are wanted, and neither runs yet.
            try service.container.shell(
                """
                mkdir -p /run/systemd/system
                printf '[Unit]\\nWants=pruned-run.timer pruned.service\\n' > /run/systemd/system/both.target
                systemctl daemon-reload
                systemctl stop both.target
                systemctl start both.target
                """)
            try eventually("active") { try service.property("ActiveState") == "active" }
            #expect(try states() == ["active", "inactive"])
            #expect(try service.container.run("systemctl", "--failed", "--no-legend", "--plain").isEmpty)
        }

        @Test("a run that the machine was off for is made up for when the timer starts")
        func persistent() throws {
            try service.override("pruned-run.timer", "[Timer]", ["RandomizedDelaySec=0"])
            try service.container.shell(
                "mkdir -p /var/lib/systemd/timers && touch -d -3days /var/lib/systemd/timers/stamp-pruned-run.timer"
            )
            try service.container.run("systemctl", "start", "pruned-run.timer")
            try eventually("a run") {
                try service.container.attempt("test", "-e", FreshService.store).status == 0
            }
        }

        @Test("the timer's run prunes as the daemon does, and says so in the journal, and nothing twice")
        func prunes() throws {
            try service.reader("sample", "--records=1000")
            try service.container.run("systemctl", "start", "pruned-run")
            #expect(try service.expiredRows().values.allSatisfy { $0 == 0 })
            let ours = try service.journal(of: "pruned-run").filter(\.isOurs)
            let finished = ours.filter { $0.kind == JournalRecord.Kind.runFinished }
            #expect(
                finished.compactMap { $0["PRUNED_RULE"] } == [
                    "feed-cache", "items", "timeline", "read-records",
                ])
            #expect(ours.allSatisfy { $0.kind != nil }, "\(ours.map(\.message))")
            let history = try service.container.run("pruned", "history", "--json").split(separator: "\n")
            #expect(try #require(history.last).contains("\"by\":\"service\""))
        }

        @Test("the run leaves a running daemon alone")
        func besideTheDaemon() throws {
            try service.start()
            try eventually("idle") { try service.isIdle() }
            let process = try service.property("MainPID")
            try service.container.run("systemctl", "start", "pruned-run")
            #expect(try service.property("MainPID") == process)
        }

        @Test("a store that another run holds is no failure of the unit's")
        func busy() throws {
            try service.container.run("pruned", "--run-now")
            let holder = try StoreHolder(in: service.container)
            defer { try? holder.stop() }
            try service.container.run("systemctl", "start", "pruned-run")
            #expect(try service.property("ActiveState", of: "pruned-run") == "inactive")
            let kinds = try service.programJournal().map(\.kind)
            #expect(kinds.contains(JournalRecord.Kind.runSkipped))
        }

        @Test("a held rule is a failure of the unit's, which stays until a person has looked")
        func held() throws {
            try service.reader("sample", "--records=1000")
            try service.configure { $0.replacing("max_share = 0.5", with: "max_share = 0.01") }
            defer { _ = try? service.container.run("systemctl", "reset-failed", "pruned-run") }
            #expect(try service.container.attempt("systemctl", "start", "pruned-run").status != 0)
            #expect(try service.property("ExecMainStatus", of: "pruned-run") == "3")
            #expect(try service.property("ActiveState", of: "pruned-run") == "failed")
        }

        /// What the daemon and the timer are: active or not.
        private func states() throws -> [String] {
            try ["pruned", "pruned-run.timer"].map { try service.property("ActiveState", of: $0) }
        }
    }
}
