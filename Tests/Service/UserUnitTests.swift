import Foundation
import Testing

extension ServiceTests {
    @Suite("A user's own service")
    struct UserUnitTests {
        let service: UserService

        init() throws { service = try UserService() }

        @Test("it prunes the store that the user's app made in its XDG directory, and leaves it theirs alone")
        func prunes() throws {
            try service.run("reader", "sample", "--records=1000")
            try service.start()
            try eventually("idle") { try service.property("StatusText").hasPrefix("Idle; next: ") }
            let old = "SELECT count(*) FROM item WHERE timestamp < unixepoch('now', '-183 days')"
            #expect(try service.run("sqlite3", "\(UserService.state)/shared/reader.sqlite", old) == "0")
            let owners = try service.container.shell("find \(UserService.state) -printf '%u\n' | sort -u")
            #expect(owners == "alice")
            try service.run("reader", "items", "add", "1")
            #expect(try service.property("NRestarts") == "0")
        }

        @Test("without an app it makes the directory and the store, closed to others")
        func first() throws {
            try service.start()
            try eventually("idle") { try service.property("StatusText").hasPrefix("Idle; next: ") }
            let store = "\(UserService.state)/shared/reader.sqlite"
            let modes = try service.container.run("stat", "-c", "%a %U", UserService.state, store)
            #expect(modes == "700 alice\n600 alice")
        }

        @Test("the user's own configuration comes before the system's")
        func ownConfiguration() throws {
            try service.container.shell(
                """
                install -D -o alice -m 600 /etc/pruned/pruned.toml \(UserService.configuration)
                sed -i 's/rule.items/rule.mine/' \(UserService.configuration)
                """)
            try service.start()
            #expect(
                try service.journal().contains(
                    "ready: rules feed-cache, mine, timeline, read-records, users;"))
        }

        @Test(
            "nothing but the state directory can be written",
            arguments: [UserService.home, "/var/tmp", "/tmp", "\(UserService.home)/.config"])
        func isReadOnly(directory: String) throws {
            try service.start()
            let process = try service.property("MainPID")
            let trace = "\(directory)/trace-of-a-test"
            _ = try service.container.attempt("nsenter", "--target", process, "--mount", "touch", trace)
            #expect(try service.container.attempt("test", "-e", trace).status != 0)
        }

        @Test("the process gets no privileges, and is under the system call filter")
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

        @Test("a reload reads the configuration again, and fails where that is refused")
        func reloads() throws {
            let file = UserService.configuration
            try service.container.shell("install -D -o alice -m 600 /etc/pruned/pruned.toml \(file)")
            try service.start()
            try service.systemctl("reload", "pruned").answer()
            #expect(try service.journal().contains("configuration read again"))
            try service.container.shell("sed -i '1i nonsense = 1' \(file)")
            let refused = try service.systemctl("reload", "pruned")
            #expect(refused.status != 0, "\(refused)")
            #expect(try service.property("ActiveState") == "active")
            #expect(try service.journal().contains("reload refused: \(file): nonsense: unknown key"))
        }

        @Test(
            "without a configuration it prunes the user's own store, by the built-in rules, and not the system's"
        )
        func unconfigured() throws {
            try service.container.shell("sed -i 's/rule.items/rule.systems/' /etc/pruned/pruned.toml")
            try service.start()
            let journal = try service.journal()
            #expect(
                journal.contains("ready: rules feed-cache, items, timeline, read-records, users;"),
                "\(journal)")
        }

        @Test("neither the service nor systemd complains of anything")
        func isQuiet() throws {
            try service.start()
            try eventually("idle") { try service.property("StatusText").hasPrefix("Idle; next: ") }
            #expect(try service.journal("--priority=warning") == "")
        }
    }
}
