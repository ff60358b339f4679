import Foundation
import TestSupport
import Testing

extension ServiceTests {
    /// A store that a group of its own shares, as the manual says it: the unit's drop-in lets the service at it.
    @Suite("A store of another app")
    struct OtherStoreTests {
        let service: FreshService
        private static let directory = "/srv/shelf/shared"
        private static let lines = ["ReadWritePaths=-\(directory)", "SupplementaryGroups=shelf"]

        init() throws {
            service = try FreshService()
            try service.container.shell(
                """
                rm -rf /srv/shelf
                id shelf > /dev/null 2>&1 || useradd --create-home shelf
                gpasswd --delete pruned shelf 2> /dev/null || true
                install -d -o shelf -g shelf -m 2770 \(Self.directory)
                runuser -u shelf -- sh -c 'umask 007; reader sample --records=100 --state-dir=/srv/shelf'
                systemctl disable --quiet pruned pruned-run.timer
                """)
            try service.configure {
                $0.replacing("\"shared/reader.sqlite\"", with: "\"\(Self.directory)/reader.sqlite\"")
            }
        }

        private func pruned(_ arguments: String...) throws -> EndedProgram {
            try service.container.attempt(["pruned"] + arguments)
        }

        private func override(_ unit: String) throws {
            try service.override(unit, "[Service]", Self.lines)
        }

        @Test(
            "with the group that the unit gives the service, root is let at it, too, by every command",
            arguments: ["pruned.service", "pruned-run.service"])
        func groupOfTheUnit(unit: String) throws {
            #expect(try pruned("plan").status == 74)
            try override(unit)
            #expect(try pruned("plan").status == 0)
            #expect(try pruned("status").output.contains(Self.directory))
            let run = try pruned("--run-now")
            #expect(run.status == 0, "\(run)")
            let check = try pruned("check")
            #expect(check.output.contains("ok: \(Self.directory)/reader.sqlite"), "\(check)")
            let runs = try pruned("history", "--json").output
            let id = try #require(runs.firstMatch(of: /"run_id":"([^"]+)"/)).output.1
            let restore = try pruned("restore", String(id), "--dry-run")
            #expect(restore.status == 0, "\(restore)")
        }

        @Test("with the group of the account, by adduser, the same")
        func groupOfTheAccount() throws {
            try service.container.run("gpasswd", "--add", "pruned", "shelf")
            defer { _ = try? service.container.run("gpasswd", "--delete", "pruned", "shelf") }
            let run = try pruned("--run-now")
            #expect(run.status == 0, "\(run)")
        }

        @Test("who lacks the group is told to take it, and not to be root")
        func hint() throws {
            let plan = try pruned("plan")
            let told = plan.output + plan.errors
            #expect(told.contains("adduser pruned shelf") && !told.contains("run as root"), "\(plan)")
        }

        @Test(
            "check says which lines the drop-in of the unit lacks that is in use, and with them all is well")
        func missingLines() throws {
            try service.container.run("systemctl", "enable", "pruned")
            defer { _ = try? service.container.run("systemctl", "disable", "pruned") }
            let bad = try pruned("check")
            #expect(bad.status == 74, "\(bad)")
            #expect(bad.output.contains("WRONG: it cannot write to \(Self.directory)"), "\(bad)")
            #expect(bad.errors.contains("/etc/systemd/system/pruned.service.d/override.conf"), "\(bad)")
            for line in Self.lines { #expect(bad.errors.contains(line), "\(bad)") }

            try override("pruned.service")
            let good = try pruned("check")
            #expect(good.status == 0, "\(good)")
            #expect(good.output.contains("ok: it can write where it must"), "\(good)")
            try service.start()
        }

        @Test(
            "a line of another drop-in that closes the store, or the state, is found, and what is said opens it",
            arguments: [
                ("ReadOnlyPaths=\(directory)/reader.sqlite", "ReadOnlyPaths="),
                ("InaccessiblePaths=\(directory)/reader.sqlite", "InaccessiblePaths="),
                ("ReadOnlyPaths=+\(directory)", "ReadOnlyPaths="),
                ("BindReadOnlyPaths=\(directory)", "BindReadOnlyPaths="),
                ("ReadOnlyPaths=/var/lib/pruned/", "ReadOnlyPaths="),
                ("BindPaths=/var/tmp:\(directory)", "BindPaths="),
            ])
        func closingLines(line: String, reset: String) throws {
            try service.container.run("systemctl", "enable", "pruned")
            defer { _ = try? service.container.run("systemctl", "disable", "pruned") }
            try service.override("pruned.service", "[Service]", Self.lines + [line])
            let bad = try pruned("check")
            #expect(bad.status == 74 && bad.errors.contains("\"\(reset)\""), "\(bad)")
            #expect(line.hasPrefix("BindPaths=") == bad.errors.contains("has another file"), "\(bad)")
            try service.override("pruned.service", "[Service]", Self.lines + [line, reset])
            let good = try pruned("check")
            #expect(good.status == 0, "\(good)")
            try service.start()
        }

        @Test(
            "after the switch to the timer check says that the other unit lacks them, and before that nothing of it"
        )
        func otherUnit() throws {
            try override("pruned.service")
            try service.container.run("systemctl", "enable", "pruned")
            let before = try pruned("check")
            #expect(
                before.status == 0 && !before.output.contains("pruned-run.service"),
                "\(before)")
            try service.container.run("systemctl", "disable", "pruned")
            try service.container.run("systemctl", "enable", "pruned-run.timer")
            defer { _ = try? service.container.run("systemctl", "disable", "pruned-run.timer") }
            let after = try pruned("check")
            #expect(after.status == 74, "\(after)")
            #expect(
                after.errors.contains("pruned-run.service cannot write to \(Self.directory)"), "\(after)")
            // What it says is so.
            #expect(try service.container.attempt("systemctl", "start", "pruned-run").status != 0)
            try override("pruned-run.service")
            #expect(try pruned("check").status == 0)
            try service.container.run("systemctl", "start", "pruned-run")
        }
    }
}
