import Foundation
import Testing

extension ServiceTests {
    /// In a container of its own.
    @Suite(
        "The Debian package",
        .enabled(
            if: Checkout.hasPackagingTools || Checkout.isInCI,
            "debhelper or lintian is missing: `make test` installs them"))
    struct PackageTests {
        let service: PackagedService

        init() throws { service = try PackagedService() }

        @Test("the service's package has at most 8 MB, and 25 MB installed")
        func size() throws {
            try service.install()
            print("package: \(service.size) bytes")
            #expect(service.size <= 8_000_000)
            let installed = try service.container.shell(
                "dpkg-query --listfiles pruned | while read -r path; do test -d \"$path\" || stat -c %s \"$path\"; done"
            )
            let bytes = installed.split(separator: "\n").compactMap { Int($0) }.reduce(0, +)
            print("installed: \(bytes) bytes")
            #expect(bytes > 1_000_000 && bytes <= 25_000_000)
        }

        @Test("the app's package stands by itself, and goes without touching the service's")
        func reader() throws {
            try service.install(.reader)
            #expect(try !service.exists("/usr/bin/pruned"))
            try service.install()
            try service.container.shell("runuser -u app -- reader sample --state-dir=/tmp/reading")
            try service.container.run("apt-get", "purge", "--yes", "pruned-reader")
            #expect(try !service.exists("/usr/bin/reader"))
            #expect(try service.isActive())
        }

        @Test("lintian finds neither errors nor warnings in the packages")
        func lintian() throws {
            #expect(
                service.complaints.status == 0, "\(service.complaints.output)\n\(service.complaints.errors)")
        }

        @Test("the package says the version that the program says")
        func version() throws {
            try service.install()
            let version = try service.container.run(
                "dpkg-query", "--show", "--showformat=${Version}", "pruned")
            #expect(try service.container.run("pruned", "--version") == "pruned \(version)")
        }

        @Test("it asks for the servers' libraries where they can be had, and its units lie below /usr/lib")
        func content() throws {
            try service.install()
            let recommended = try service.container.run(
                "dpkg-query", "--show", "--showformat=${Recommends}", "pruned")
            #expect(recommended == "libmariadb3, libpq5")
            let files = try service.container.run("dpkg-query", "--listfiles", "pruned").split(
                separator: "\n")
            let units = files.filter { $0.hasSuffix(".service") || $0.hasSuffix(".timer") }
            #expect(units.count == 5 && units.allSatisfy { $0.hasPrefix("/usr/lib/systemd/") }, "\(units)")
        }

        @Test("the presets come with it, and go with it")
        func presets() throws {
            try service.install()
            #expect(try service.container.run("pruned", "presets").contains("\nnewsboat "))
            #expect(try service.exists("/usr/share/pruned/presets/newsboat.toml"))
            try service.apt("remove")
            #expect(try !service.exists("/usr/share/pruned"))
        }

        @Test("installing it is enough: the service runs, prunes, and comes up with the system")
        func install() throws {
            try service.install()
            #expect(try service.isActive())
            #expect(try service.isEnabled())
            try service.addItems()
            try eventually("pruned") { try service.items() == "2" }
            #expect(try service.container.run("systemctl", "is-system-running") == "running")
        }

        @Test("the other ways to run are installed, and neither enabled nor started")
        func otherWays() throws {
            try service.install()
            #expect(try !service.isEnabled("pruned-run.timer"))
            #expect(try !service.isActive("pruned-run.timer"))
            #expect(try service.exists("/usr/lib/systemd/user/pruned.service"))
            #expect(try !service.exists("/etc/systemd/user/default.target.wants/pruned.service"))
        }

        @Test("there are the user, the shared directory, the configuration and the journal's explanations")
        func files() throws {
            try service.install()
            let directory = try service.container.run("stat", "-c", "%a %U %G", "/var/lib/pruned")
            #expect(directory == "2750 pruned pruned")
            #expect(try service.exists(PackagedService.configuration))
            let catalog = try service.container.run("journalctl", "--list-catalog")
            #expect(catalog.matches(of: #/ pruned: /#).count == 13)
        }

        @Test("an upgrade keeps a changed configuration and the store, and the new program runs")
        func upgrade() throws {
            try service.install(.old)
            try service.addItems()
            try eventually("pruned") { try service.items() == "2" }
            try service.changeConfiguration()
            let process = try service.container.run("systemctl", "show", "--property=MainPID", "pruned")
            try service.install(.new)
            #expect(try service.isActive())
            #expect(try service.container.run("systemctl", "show", "--property=MainPID", "pruned") != process)
            #expect(try service.container.run("pruned", "plan").contains("mine"))
            // Beside it stands the new version's.
            #expect(try service.exists(PackagedService.configuration + ".dpkg-dist"))
            #expect(try service.items() == "2")
        }

        @Test(
            "an upgrade moves the default store of an older version; one that an app has open once the app is gone",
            arguments: [false, true])
        func upgradeOfOlderState(isOpen: Bool) throws {
            try service.install(.old)
            try service.addItems()
            try eventually("pruned") { try service.items() == "2" }
            let (container, old) = (service.container, "/var/lib/pruned/reader.sqlite")
            try container.shell(
                """
                systemctl stop pruned; cd /var/lib/pruned; mv shared/reader.sqlite .; rm -r shared status.json
                chmod 2770 .; chmod 2750 ledger archive; chmod 0640 ledger/state.sqlite
                """)
            let app = ["runuser", "-u", "app", "--"]
            let read = app + ["sqlite3", "-cmd", ".timeout 5000", old, "SELECT id FROM item"]
            if isOpen {
                try container.run(
                    "systemd-run", "--unit=reading", "--uid=app", "sh", "-c",
                    "{ echo 'SELECT count(*) FROM item;'; sleep 600; } | sqlite3 \(old)")
                try eventually("open") { try service.exists(old + "-shm") }
            }
            let told = { (text: String) in
                try container.run("journalctl", "-b", "-o", "cat", "-u", "pruned").components(
                    separatedBy: text
                )
                .count
            }
            let moves = try told("the default store is now")
            try service.install(.new)
            try container.run("systemctl", "start", "pruned")
            if isOpen {
                try eventually("said") {
                    try told("the default store stays where older versions had it") > 1
                }
                #expect(try !service.exists(PackagedService.store))
                // The app goes and comes back, as after its own upgrade.
                try container.run("systemctl", "stop", "reading")
                #expect(try container.attempt(read).answer() == "2")
                try container.run("systemctl", "kill", "--kill-whom=main", "--signal=USR1", "pruned")
            }
            try eventually("moved") { try told("the default store is now") > moves }
            #expect(try container.attempt(read).answer() == "2")
            #expect(try service.items() == "2")
            #expect(
                try container.run("stat", "-c", "%n %a", "/var/lib/pruned", "/var/lib/pruned/ledger")
                    == "/var/lib/pruned 2750\n/var/lib/pruned/ledger 700")
            let history = try container.attempt(app + ["pruned", "history", "--state-dir=/var/lib/pruned"])
            #expect(history.status == 0 && history.output.contains("items"), "\(history)")
        }

        @Test("an upgrade leaves it to the timer where the timer was chosen")
        func upgradeWithTimer() throws {
            try service.install(.old)
            try service.container.run("systemctl", "disable", "--now", "pruned")
            try service.container.run("systemctl", "enable", "--now", "pruned-run.timer")
            try service.install(.new)
            #expect(try !service.isActive())
            #expect(try !service.isEnabled())
            #expect(try service.isActive("pruned-run.timer"))
            #expect(try service.isEnabled("pruned-run.timer"))
        }

        @Test(
            "after a removal nothing runs, and the configuration and the state stay for the next installation"
        )
        func remove() throws {
            try service.install()
            try service.addItems()
            try eventually("pruned") { try service.items() == "2" }
            try service.changeConfiguration()
            try service.apt("remove")
            #expect(try !service.isActive())
            #expect(try !service.exists("/usr/bin/pruned"))
            #expect(try service.items() == "2")
            try service.install()
            #expect(try service.isActive())
            #expect(try service.container.run("pruned", "plan").contains("mine"))
            #expect(try service.items() == "2")
        }

        @Test("a removal stops the timer, too")
        func removeTimer() throws {
            try service.install()
            try service.container.run("systemctl", "start", "pruned-run.timer")
            try service.apt("remove")
            #expect(try !service.isActive("pruned-run.timer"))
            #expect(try service.container.run("systemctl", "--failed", "--no-legend", "--plain").isEmpty)
        }

        @Test("a removal stops what users' own systemds run, and leaves no unit failed")
        func removeFromUsers() throws {
            try service.install()
            let container = service.container
            try container.shell(
                """
                id alice > /dev/null 2>&1 || useradd --create-home alice
                loginctl enable-linger alice
                """)
            let runtime = "XDG_RUNTIME_DIR=/run/user/" + (try container.run("id", "-u", "alice"))
            let alice = ["runuser", "-u", "alice", "--", "env", runtime, "systemctl", "--user"]
            try eventually("alice's systemd is up") {
                try container.attempt(alice + ["is-system-running"]).output == "running\n"
            }
            try container.attempt(alice + ["daemon-reload"]).answer()
            try container.attempt(alice + ["start", "pruned"]).answer()
            // Held, which is a failure of the timer's service.
            try container.shell("echo 'nonsense = 1' >> \(PackagedService.configuration)")
            #expect(try container.attempt("systemctl", "start", "pruned-run.service").status != 0)
            try service.apt("remove")
            #expect(try container.attempt(alice + ["is-active", "pruned"]).status != 0)
            #expect(try container.attempt("pgrep", "--exact", "pruned").status != 0)
            #expect(try container.run("systemctl", "--failed", "--no-legend", "--plain").isEmpty)
            try container.shell("loginctl disable-linger alice; rm -rf /home/alice/.local")
        }

        @Test("an upgrade restarts a user's instance, a removal stops it, and a purge disables it")
        func instances() throws {
            try service.install(.old)
            let container = service.container
            try container.shell(
                """
                id ada > /dev/null 2>&1 || useradd --create-home ada
                install -D -m 644 /usr/share/doc/pruned/examples/pruned.toml /home/ada/.config/pruned/pruned.toml
                """)
            try container.run("systemctl", "enable", "--now", "pruned@ada")
            let process = try container.run("systemctl", "show", "--property=MainPID", "pruned@ada")
            try service.install(.new)
            #expect(try service.isActive("pruned@ada"))
            #expect(try container.run("systemctl", "show", "--property=MainPID", "pruned@ada") != process)
            try service.apt("remove")
            #expect(try !service.isActive("pruned@ada"))
            #expect(try container.run("systemctl", "--failed", "--no-legend", "--plain").isEmpty)
            try service.apt("purge")
            let link = "/etc/systemd/system/multi-user.target.wants/pruned@ada.service"
            #expect(try container.attempt("test", "-L", link).status != 0)
            // What it archived is its user's.
            #expect(try service.exists("/var/lib/pruned-user/ada/ledger"))
            try container.run("rm", "-r", "/var/lib/pruned-user", "/home/ada/.config")
        }

        @Test("a purge leaves the state directory as it was, to its owner, and nothing else")
        func purge() throws {
            try service.install()
            try service.addItems()
            try eventually("pruned") { try service.items() == "2" }
            try service.container.run("systemctl", "start", "pruned-run.timer")
            // The timer does not wait for the service to have stopped.
            try eventually("stopped") {
                try service.container.attempt("systemctl", "is-active", "pruned").output == "inactive\n"
            }
            let state = try service.state()
            #expect(state.contains("reader.sqlite"))
            try service.apt("purge")
            #expect(try service.state() == state)
            #expect(
                try service.container.run("stat", "-c", "%U", PackagedService.store, "/var/lib/pruned")
                    == "pruned\npruned")
            let left = try service.container.shell(
                """
                find / -xdev -path /var/lib/pruned -prune -o -name '*pruned*' ! -path '/proc/*' ! -path '/tmp/*' \\
                    ! -path '/var/log/*' ! -path '/var/cache/*' -print
                """)
            #expect(left == "")
            let catalog = try service.container.run("journalctl", "--list-catalog")
            #expect(!catalog.contains(" pruned: "))
            try service.install()
            #expect(try service.isActive())
            #expect(try service.items() == "2")
        }
    }
}
