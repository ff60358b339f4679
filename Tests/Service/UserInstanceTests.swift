import Foundation
import Testing

extension ServiceTests {
    @Suite("A user's instance of the template unit")
    struct UserInstanceTests {
        let instance: UserInstance

        init() throws { instance = try UserInstance() }

        @Test("it prunes a database in the home as its user, without a group, a mode or a drop-in")
        func prunes() throws {
            #expect(try instance.articles() == 2_000)
            try instance.start()
            try eventually("idle", within: 60) { try instance.isIdle() }
            #expect(try instance.articles() == 60 * 24)
            let owners = try instance.container.shell(
                "find \(UserInstance.state) \(UserInstance.home)/.local -printf '%u\\n' | sort -u")
            #expect(owners == "ada")
            let beside = try instance.attempt("ls", "-A", UserInstance.home + "/.local/share/newsboat")
            #expect(try beside.answer() == "cache.db")
            #expect(try instance.journal("--priority=warning") == "")
            #expect(try instance.property("NRestarts") == "0")
        }

        @Test("four commands lead from a database that grows to an instance that prunes it")
        func fourCommands() throws {
            // Of 166 days, 76 are over the preset's 90.
            try instance.query("UPDATE rss_item SET pubDate = unixepoch('now') - id * 7200 + 1800")
            let directory = UserInstance.home + "/.config/pruned"
            try instance.container.run("rm", UserInstance.configuration)
            let suggest =
                "mkdir \(directory)/conf.d && pruned suggest \(UserInstance.store)"
                + " > \(directory)/conf.d/20-mine.toml"
            #expect(try instance.attempt("sh", "-c", suggest).status == 0)
            let check = try instance.attempt("pruned", "check")
            #expect(check.status == 0 && check.output.contains("preset newsboat"), "\(check)")
            let plan = try instance.attempt("pruned", "plan", "--rule", "newsboat-articles")
            #expect(plan.status == 0 && plan.output.contains("920"), "\(plan)")
            try instance.start()
            try eventually("idle", within: 60) { try instance.isIdle() }
            #expect(try instance.query("SELECT count(*) FROM rss_item WHERE deleted") == "920")
            try instance.container.run(
                "sed", "-i", "s/^keep = .*/keep = \"80d\"/", directory + "/conf.d/20-mine.toml")
            try instance.container.run("systemctl", "reload", "pruned@ada")
            #expect(try instance.journal().contains("configuration read again"))
        }

        @Test(
            "what it remembers and archives is closed to everybody else, and the shared state is left alone")
        func isPrivate() throws {
            try instance.start()
            let modes = try instance.container.run("stat", "-c", "%a %U %G", UserInstance.state)
            #expect(modes == "700 ada ada")
            let parent = try instance.container.run("stat", "-c", "%a %U", "/var/lib/pruned-user")
            #expect(parent == "755 root")
        }

        @Test("its user's commands have its configuration and its state, without sudo")
        func commands() throws {
            let before = try instance.attempt("pruned", "check")
            #expect(before.status == 0, "\(before)")
            try instance.start()
            try eventually("idle", within: 60) { try instance.isIdle() }
            let status = try instance.attempt("pruned", "status", "--json")
            #expect(status.status == 0 && status.output.contains("\"service_running\":true"), "\(status)")
            #expect(
                status.output.contains("\"configuration\":\"\(UserInstance.configuration)\""), "\(status)")
            #expect(status.output.contains("\"state_directory\":\"\(UserInstance.state)\""), "\(status)")
            let check = try instance.attempt("pruned", "check")
            #expect(check.status == 0, "\(check)")
            #expect(check.output.contains("unit pruned@ada.service\n"), "\(check)")
            #expect(check.output.contains("ok: it can write where it must"), "\(check)")
            let plan = try instance.attempt("pruned", "plan")
            #expect(plan.status == 0 && plan.output.contains("1,440"), "\(plan)")
            #expect(try instance.attempt("pruned", "history").output.contains("560"))
        }

        @Test("a rule that is held is confirmed by its user, and the instance runs it")
        func confirmation() throws {
            try instance.configure(keep: "1d")
            try instance.start()
            try eventually("held") { try instance.property("StatusText").contains("held") }
            let status = try instance.attempt("pruned", "status")
            #expect(status.status == 3 && status.output.contains("pruned confirm news"), "\(status)")
            let confirmed = try instance.attempt("pruned", "confirm", "news")
            #expect(confirmed.status == 0, "\(confirmed)")
            #expect(confirmed.output.contains("the service runs it now"), "\(confirmed)")
            try eventually("pruned") { try instance.articles() == 24 }
        }

        @Test("root, who names its state directory, has its user's configuration, too")
        func root() throws {
            try instance.start()
            try eventually("idle", within: 60) { try instance.isIdle() }
            let status = try instance.container.attempt("pruned", "status", "--state-dir", UserInstance.state)
            #expect(status.status == 0 && status.output.contains(UserInstance.store), "\(status)")
            let owners = try instance.container.shell("find \(UserInstance.state) -printf '%u\\n' | sort -u")
            #expect(owners == "ada")
        }

        @Test(
            "a reload reads its user's configuration again, and a configuration that others can write is refused"
        )
        func reload() throws {
            try instance.start()
            try eventually("idle", within: 60) { try instance.isIdle() }
            try instance.configure(keep: "59d")
            try instance.container.run("systemctl", "reload", "pruned@ada")
            #expect(try instance.journal().contains("configuration read again"))
            try instance.container.run("systemctl", "kill", "--signal=USR1", "pruned@ada")
            try eventually("pruned") { try instance.articles() == 59 * 24 }
            try instance.container.run("chmod", "666", UserInstance.configuration)
            let refused = try instance.container.attempt("systemctl", "reload", "pruned@ada")
            #expect(refused.status != 0)
            #expect(try instance.journal().contains("everybody can write to it"))
            #expect(try instance.property("ActiveState") == "active")
        }

        @Test("a drop-in narrows it to the directory of the store and that of the configuration")
        func narrowed() throws {
            try instance.attempt("mkdir", UserInstance.home + "/keys").answer()
            try instance.override(
                "ProtectHome=tmpfs", "BindPaths=\(UserInstance.home)/.local/share/newsboat",
                "BindReadOnlyPaths=-\(UserInstance.home)/.config/pruned")
            try instance.start()
            try eventually("idle", within: 60) { try instance.isIdle() }
            #expect(try instance.articles() == 60 * 24)
            let process = try instance.property("MainPID")
            let inside = ["nsenter", "--target", process, "--mount", "ls", "-A", UserInstance.home]
            #expect(try instance.container.attempt(inside).answer() == ".config\n.local")
            let check = try instance.attempt("pruned", "check")
            #expect(check.status == 0, "\(check)")
        }

        @Test(
            "a store that the unit does not let it write to is named by its user's check, with the line that helps"
        )
        func elsewhere() throws {
            try instance.container.shell(
                """
                rm -rf /srv/ada && install -d -o ada -g ada -m 755 /srv/ada
                install -o ada -g ada -m 644 \(UserInstance.store) /srv/ada/cache.db
                sed -i 's|\(UserInstance.store)|/srv/ada/cache.db|' \(UserInstance.configuration)
                """)
            // It ends at once, since it has no other store, and systemd starts it again.
            _ = try instance.container.attempt("systemctl", "start", "pruned@ada")
            let bad = try instance.attempt("pruned", "check")
            #expect(bad.status == 74 && bad.errors.contains("ReadWritePaths=-/srv/ada"), "\(bad)")
            try instance.override("ReadWritePaths=-/srv/ada")
            try instance.container.run("systemctl", "restart", "pruned@ada")
            #expect(try instance.attempt("pruned", "check").status == 0)
        }

        @Test("the process gets no privileges, and writes nothing outside of its user's home and state")
        func isConfined() throws {
            try instance.start()
            let process = try instance.property("MainPID")
            let status = try instance.container.run("cat", "/proc/\(process)/status")
            for fact in [
                "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2",
            ] {
                #expect(status.contains(fact))
            }
            let options = try instance.container.run("cat", "/proc/\(process)/mounts")
            let root = options.split(separator: "\n").last { $0.split(separator: " ")[1] == "/" }
            #expect(root?.split(separator: " ")[3].hasPrefix("ro") == true, "\(options)")
        }
    }
}
