import Testing

extension ServiceTests {
    @Suite("The unit")
    struct UnitTests {
        let container: Container
        let unit = "/usr/local/lib/systemd/system/pruned.service"

        init() throws { container = try Container.shared() }

        @Test("the container that all these tests share has a working systemd")
        func containerIsUp() throws {
            #expect(try container.run("systemctl", "is-system-running") == "running")
        }

        @Test("systemd finds nothing wrong with the unit")
        func verifies() throws {
            let verification = try container.attempt("systemd-analyze", "verify", unit)
            #expect(verification.status == 0)
            #expect(verification.output + verification.errors == "")
        }

        @Test("the sandbox leaves an exposure of at most 0.5 of 10")
        func isSandboxed() throws {
            try container.run("systemd-analyze", "security", "--offline=yes", "--threshold=5", unit)
        }

        @Test(
            "systemd takes each setting as it was meant",
            arguments: [
                // In the wrong section, systemd ignores the limits without a word.
                "StartLimitIntervalUSec=10min", "StartLimitBurst=10", "Restart=always", "RestartUSec=5s",
                "RestartPreventExitStatus=64 78", "Type=notify", "NotifyAccess=main", "WatchdogSignal=9",
                "User=pruned", "Group=pruned", "StateDirectoryMode=2770", "UMask=0007",
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
    }
}
