import Foundation
import Systemd
import TestSupport
import Testing

/// What `systemctl show` says of units.
struct ManagedUnitTests {
    private static let shown = """
        ExecStart={ path=/usr/bin/pruned ; argv[]=/usr/bin/pruned --state-dir /srv/state ; ignore_errors=no ; pid=0 }
        User=pruned
        Group=pruned
        SupplementaryGroups=app 4711
        Id=pruned.service
        LoadState=loaded
        ActiveState=inactive
        UnitFileState=enabled

        User=
        Id=other.service
        LoadState=not-found
        ActiveState=inactive

        Id=pruned-run.timer
        LoadState=loaded
        ActiveState=failed
        UnitFileState=disabled

        """

    @Test("those that are there are known by their properties")
    func all() throws {
        let units = ManagedUnit.all(in: Self.shown)
        #expect(units.map(\.name) == ["pruned.service", "pruned-run.timer"])
        let unit = try #require(units.first)
        #expect(unit.user == "pruned" && unit.groups == ["pruned", "app", "4711"])
        #expect(unit.argument(of: "--state-dir") == "/srv/state" && unit.argument(of: "--config") == nil)
        #expect(ManagedUnit.all(in: "").isEmpty)
    }

    @Test(
        "a unit is in use that is enabled, runs, or has failed",
        arguments: [
            ("enabled", "inactive", true), ("enabled-runtime", "inactive", true),
            ("disabled", "active", true),
            ("disabled", "activating", true), ("static", "failed", true), ("disabled", "inactive", false),
            ("static", "inactive", false),
        ])
    func use(file: String, state: String, isInUse: Bool) {
        #expect(ManagedUnit(["UnitFileState": file, "ActiveState": state]).isInUse == isInUse)
    }

    @Test(
        "a unit works on the state directory that its command line names, or that it is given, or on the usual one"
    )
    func stateDirectory() throws {
        let named = try #require(ManagedUnit.all(in: Self.shown).first)
        #expect(named.works(on: "/srv/state", usual: "/u") && !named.works(on: "/u", usual: "/u"))
        let equals = ManagedUnit(["ExecStart": "{ argv[]=/bin/pruned --state-dir=/a ; ignore_errors=no }"])
        #expect(equals.works(on: "/a", usual: "/u"))
        let given = ManagedUnit(["StateDirectory": "pruned more"])
        #expect(given.works(on: "/var/lib/pruned", usual: "/u") && !given.works(on: "/u", usual: "/u"))
        #expect(ManagedUnit([:]).works(on: "/u", usual: "/u"))
    }

    @Test("a state directory is the same by another name: with a slash at its end, or by a link")
    func names() throws {
        let directory = try TemporaryDirectory()
        symlink(directory.path, directory.path + "/link")
        let named = { (path: String) in
            ManagedUnit(["ExecStart": "{ argv[]=/bin/pruned --state-dir \(path) ; ignore_errors=no }"])
        }
        let names = [directory.path, directory.path + "/", directory.path + "/link"]
        for name in names {
            #expect(names.allSatisfy { named(name).works(on: $0, usual: "/u") })
            #expect(!named(name).works(on: directory.path + "/link/other", usual: "/u"))
        }
        #expect(ManagedUnit([:]).works(on: directory.path, usual: directory.path + "//link/."))
    }
}
