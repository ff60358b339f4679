import Testing

extension ServiceTests {
    @Suite("The unit")
    struct UnitTests {
        let container: Container
        let units = "/usr/local/lib/systemd/system/"

        init() throws { container = try Container.shared() }

        @Test("the container that all these tests share has a working systemd")
        func containerIsUp() throws {
            #expect(try container.run("systemctl", "is-system-running") == "running")
        }

        @Test(
            "systemd finds nothing wrong with the units",
            arguments: [
                "pruned.service", "pruned-run.service", "pruned-run.timer", "pruned@.service",
            ])
        func verifies(unit: String) throws {
            let verification = try container.attempt("systemd-analyze", "verify", units + unit)
            #expect(verification.status == 0)
            #expect(verification.output + verification.errors == "")
        }

        @Test(
            "the sandbox leaves an exposure of at most 0.5 of 10, and that which a home is open to 0.6",
            arguments: [("pruned.service", 5), ("pruned-run.service", 5), ("pruned@.service", 6)])
        func isSandboxed(unit: String, tenths: Int) throws {
            try container.run(
                "systemd-analyze", "security", "--offline=yes", "--threshold=\(tenths)", units + unit)
        }

        @Test(
            "systemd takes each setting as it was meant",
            arguments: [
                // In the wrong section, systemd ignores the limits without a word.
                "StartLimitIntervalUSec=10min", "StartLimitBurst=10", "Restart=always", "RestartUSec=5s",
                "RestartPreventExitStatus=64 78", "Type=notify", "NotifyAccess=main", "WatchdogSignal=9",
                "User=pruned", "Group=pruned", "StateDirectoryMode=2750", "UMask=0007",
            ])
        func takes(setting: String) throws {
            let name = String(setting.prefix { $0 != "=" })
            #expect(try container.run("systemctl", "show", "--property=\(name)", "pruned") == setting)
        }

        @Test("the unit starts after the clock was set")
        func startsAfterTheClock() throws {
            let after = try container.run("systemctl", "show", "--property=After", "pruned")
            #expect(after.contains("time-set.target"))
        }

        @Test(
            "systemd takes the timer and its run as they were meant",
            arguments: [
                "pruned-run.timer Persistent=yes", "pruned-run.timer RandomizedDelayUSec=1h",
                "pruned-run.service Type=oneshot", "pruned-run.service SuccessExitStatus=75",
                "pruned-run.service User=pruned", "pruned-run.service UMask=0007",
                "pruned@ada.service User=ada", "pruned@ada.service StateDirectory=pruned-user/ada",
                "pruned@ada.service StateDirectoryMode=0700", "pruned@ada.service UMask=0077",
                "pruned@ada.service ProtectSystem=strict", "pruned@ada.service ProtectHome=no",
            ])
        func takes(ofUnit: String) throws {
            let parts = ofUnit.split(separator: " ").map(String.init)
            let name = String(parts[1].prefix { $0 != "=" })
            #expect(try container.run("systemctl", "show", "--property=\(name)", parts[0]) == parts[1])
        }
    }
}
