import Foundation
import Testing

extension ServiceTests {
    @Suite("The sandbox")
    struct SandboxTests {
        let service: FreshService

        init() throws { service = try FreshService() }

        @Test("the process has no capabilities, gets none, and is under the system call filter")
        func isConfined() throws {
            try service.start()
            let process = try service.property("MainPID")
            let status = try service.container.run("cat", "/proc/\(process)/status")
            for fact in [
                "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2",
            ] {
                #expect(status.contains(fact))
            }
        }

        @Test(
            "nothing outside the state directory can be written, not even by root",
            arguments: ["/usr", "/etc", "/var/lib", "/srv"])
        func isReadOnly(directory: String) throws {
            try service.start()
            let process = try service.property("MainPID")
            let attempt = try service.container.attempt(
                "nsenter", "--target", process, "--mount", "touch", directory + "/trace")
            #expect(attempt.errors.contains("Read-only file system"))
        }

        @Test("a service whose only store is outside the state directory ends at once, with what to do")
        func outsideStoreWithoutHole() throws {
            try makeOutsideStore()
            _ = try service.container.attempt("systemctl", "start", "pruned")
            try eventually("ended") { try service.property("ExecMainStatus") == "74" }
            let complaint = try #require(service.programJournal().first { $0.isOurs && $0.priority == 3 })
            #expect(complaint.message.contains("/srv/reader/shared/reader.sqlite"))
            #expect(complaint.message.contains("Read-only file system"))
            #expect(complaint.message.contains("ReadWritePaths="))
        }

        @Test("a store outside the state directory is pruned with the documented ReadWritePaths=")
        func outsideStoreWithHole() throws {
            try makeOutsideStore()
            try service.override("ReadWritePaths=-/srv/reader")
            try service.start()
            try eventually("pruned") {
                let finished = try service.journal().filter { $0.kind == JournalRecord.Kind.runFinished }
                return Set(finished.compactMap { $0["PRUNED_RULE"] }).count == 4
            }
        }

        private func makeOutsideStore() throws {
            try service.container.shell(
                """
                rm -rf /srv/reader
                install -d -o root -g pruned -m 2770 /srv/reader
                runuser -u app -- reader sample --records=1000 --state-dir=/srv/reader
                """)
            try service.configure {
                $0.replacing("\"shared/reader.sqlite\"", with: "\"/srv/reader/shared/reader.sqlite\"")
            }
        }
    }
}
