import Systemd
import Testing

/// Which lines a unit's drop-in lacks for a directory to be written.
struct UnitSandboxTests {
    /// That of `pruned.service`, with other settings.
    private static func sandbox(_ others: [String: String] = [:]) -> UnitSandbox? {
        let shipped = [
            "ProtectSystem": "strict", "ProtectHome": "yes", "PrivateTmp": "yes", "StateDirectory": "pruned",
        ]
        return UnitSandbox(ManagedUnit(shipped.merging(others) { $1 }))
    }

    @Test(
        "a directory needs the lines that open it, and no others",
        arguments: [
            ("/var/lib/pruned", [:], []),
            ("/var/lib/pruned-too", [:], ["ReadWritePaths=-/var/lib/pruned-too"]),
            ("/srv/app", [:], ["ReadWritePaths=-/srv/app"]),
            ("/srv/app", ["ReadWritePaths": "-/srv"], []),
            ("/srv/app", ["ReadWritePaths": "/srv/other -/srv/app /x"], []),
            ("/srv/my app", ["ReadWritePaths": "-/srv/my app /x"], []),
            ("/srv/my app", ["ReadWritePaths": "-/srv/my"], ["ReadWritePaths=-/srv/my app"]),
            (
                "/srv/app", ["ReadWritePaths": "/srv", "ReadOnlyPaths": "-/srv/app"],
                ["ReadWritePaths=-/srv/app"]
            ),
            ("/srv/app/db", ["ReadWritePaths": "/srv/app/db", "ReadOnlyPaths": "/srv/app"], []),
            ("/srv/app", ["InaccessiblePaths": "/srv"], ["InaccessiblePaths=", "ReadWritePaths=-/srv/app"]),
            ("/srv/app", ["BindPaths": "/data/app:/srv/app:rbind"], []),
            ("/srv/app", ["BindReadOnlyPaths": "/srv/app"], ["ReadWritePaths=-/srv/app"]),
            ("/srv/app", ["TemporaryFileSystem": "/srv:ro"], ["BindPaths=-/srv/app"]),
            ("/srv/app", ["TemporaryFileSystem": "/srv:ro", "BindPaths": "/srv/app"], []),
            ("/home/alice/app", [:], ["ProtectHome=no", "ReadWritePaths=-/home/alice/app"]),
            // systemd drops a hole in what is inaccessible.
            ("/home/alice/app", ["ReadWritePaths": "/home/alice/app"], ["ProtectHome=no"]),
            ("/home/alice/app", ["ProtectHome": "no"], ["ReadWritePaths=-/home/alice/app"]),
            ("/home/alice/app", ["ProtectHome": "read-only", "ReadWritePaths": "/home/alice"], []),
            (
                "/home/alice/app", ["ProtectHome": "read-only", "ProtectSystem": "no"],
                ["ReadWritePaths=-/home/alice/app"]
            ),
            ("/tmp/app", [:], ["PrivateTmp=no", "ReadWritePaths=-/tmp/app"]),
            ("/var/tmp/app", ["PrivateTmp": "no", "ProtectSystem": "full"], []),
            ("/srv/app", ["ProtectSystem": "full"], []), ("/etc/app", ["ProtectSystem": "yes"], []),
            ("/etc/app", ["ProtectSystem": "full"], ["ReadWritePaths=-/etc/app"]),
            ("/srv/app", ["ProtectSystem": "no"], []), ("/dev/shm/app", [:], []),
            ("/var/cache/app", ["CacheDirectory": "other app"], []),
        ] as [(String, [String: String], [String])])
    func missing(directory: String, settings: [String: String], expected: [String]) throws {
        let sandbox = try #require(Self.sandbox(settings))
        #expect(sandbox.missing(for: [directory]).map(\.description) == expected)
    }

    @Test("a hole is one by the directory's name, or by where links lead from it")
    func links() throws {
        let names = ["/srv/app", "/data/app"]
        let closed = try #require(Self.sandbox())
        #expect(closed.missing(for: names).map(\.description) == ["ReadWritePaths=-/srv/app"])
        for hole in names {
            #expect(try #require(Self.sandbox(["ReadWritePaths": hole])).missing(for: names).isEmpty)
        }
        let home = closed.missing(for: ["/srv/app", "/home/app"]).map(\.description)
        #expect(home == ["ProtectHome=no", "ReadWritePaths=-/srv/app"])
    }

    @Test("of a unit with a root directory of its own nothing is known")
    func root() {
        #expect(Self.sandbox(["RootDirectory": "/srv/root"]) == nil)
        #expect(Self.sandbox(["RootImage": "/srv/image"]) == nil)
    }
}
