import Systemd
import Testing

/// Which lines a unit's drop-in lacks for a directory to be written.
struct UnitSandboxTests {
    /// That of `pruned.service`, with other settings.
    private static func sandbox(
        _ others: [String: String] = [:], resolve: (@Sendable (String) -> String)? = nil
    ) -> UnitSandbox? {
        let shipped = [
            "ProtectSystem": "strict", "ProtectHome": "yes", "PrivateTmp": "yes", "StateDirectory": "pruned",
        ]
        let unit = ManagedUnit(shipped.merging(others) { $1 })
        return resolve.map { UnitSandbox(unit, resolve: $0) } ?? UnitSandbox(unit)
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
                "/srv/app", ["ReadWritePaths": "/srv", "ReadOnlyPaths": "-/srv/app /etc/x"],
                ["ReadOnlyPaths=", "ReadOnlyPaths=/etc/x"]
            ),
            ("/srv/app/deep", ["ReadOnlyPaths": "/srv/app"], ["ReadWritePaths=-/srv/app/deep"]),
            ("/srv/app", ["ReadWritePaths": "/srv/app", "ReadOnlyPaths": "+/srv/app"], ["ReadOnlyPaths="]),
            ("/srv/app/", ["ReadWritePaths": "/srv//app/"], []),
            (
                "/srv/app", ["ReadWritePaths": "/srv//app/", "BindReadOnlyPaths": "/srv/app:/srv/app:rbind"],
                ["BindReadOnlyPaths="]
            ),
            (
                "/var/lib/pruned", ["ReadWritePaths": "/srv", "ReadOnlyPaths": "/var/lib/pruned/"],
                ["ReadOnlyPaths="]
            ),
            ("/etc", ["ProtectSystem": "full"], ["ProtectSystem=no"]),
            ("/home/alice", ["ProtectHome": "tmpfs"], ["BindPaths=-/home/alice"]),
            ("/home/alice", ["ProtectHome": "tmpfs", "BindPaths": "/home/alice"], []),
            ("/srv/app/db", ["ReadWritePaths": "/srv/app/db", "ReadOnlyPaths": "/srv/app"], []),
            ("/srv/app", ["InaccessiblePaths": "/srv"], ["InaccessiblePaths=", "ReadWritePaths=-/srv/app"]),
            ("/srv/app", ["BindPaths": "/srv/app:/srv/app:rbind"], []),
            ("/srv/app", ["BindPaths": "/:/"], ["ReadWritePaths=-/srv/app"]),
            (
                "/srv/app", ["BindPaths": "/data/app:/srv/app:rbind /srv/b"],
                ["BindPaths=", "BindPaths=/srv/b", "ReadWritePaths=-/srv/app"]
            ),
            (
                "/srv/app", ["BindReadOnlyPaths": "/srv/app"],
                ["BindReadOnlyPaths=", "ReadWritePaths=-/srv/app"]
            ),
            ("/srv/app/db", ["BindReadOnlyPaths": "/srv/app"], ["ReadWritePaths=-/srv/app/db"]),
            ("/srv/app", ["TemporaryFileSystem": "/srv:ro"], ["BindPaths=-/srv/app"]),
            ("/srv/app", ["TemporaryFileSystem": "/srv:ro", "BindPaths": "/srv/app"], []),
            // What is in homes is left to ProtectHome=.
            ("/home/alice/app", [:], ["ProtectHome=no"]),
            // systemd drops a hole in what is inaccessible.
            ("/home/alice/app", ["ReadWritePaths": "/home/alice/app"], ["ProtectHome=no"]),
            ("/home/alice/app", ["ProtectHome": "no"], []),
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

    @Test(
        "a file in an open directory can be closed by itself, and so can its directory by another line",
        arguments: [
            ("ReadOnlyPaths", "/srv/shelf/app.db", ["/srv/shelf/app.db"], "ReadOnlyPaths="),
            ("InaccessiblePaths", "/srv/shelf/app.db", ["/srv/shelf/app.db"], "InaccessiblePaths="),
            ("ReadOnlyPaths", "+/srv/shelf", ["/srv/shelf", "/srv/shelf/app.db"], "ReadOnlyPaths="),
            ("BindReadOnlyPaths", "/srv/shelf", ["/srv/shelf", "/srv/shelf/app.db"], "BindReadOnlyPaths="),
        ] as [(String, String, [String], String)])
    func files(property: String, value: String, closed: [String], line: String) throws {
        let paths = ["/srv/shelf", "/srv/shelf/app.db"]
        let sandbox = try #require(Self.sandbox(["ReadWritePaths": "/srv/shelf", property: value]))
        #expect(paths.filter { !sandbox.isOpen($0) } == closed)
        #expect(sandbox.missing(for: paths).map(\.description) == [line])
        #expect(paths.allSatisfy { sandbox.substitute(for: $0) == nil })
    }

    @Test("what is bound over a path from elsewhere is another file")
    func substitute() throws {
        let sandbox = try #require(Self.sandbox(["BindPaths": "/opt/g1/app:/srv/shelf:rbind -/srv/x"]))
        #expect(sandbox.substitute(for: "/srv/shelf/app.db") == "/opt/g1/app/app.db")
        #expect(sandbox.substitute(for: "/srv/shelf") == "/opt/g1/app")
        #expect(sandbox.substitute(for: "/srv/x/app.db") == nil && sandbox.isOpen("/srv/x/app.db"))
        #expect(sandbox.substitute(for: "/var/lib/pruned") == nil)
        // A link leads there already.
        let linked = try #require(
            Self.sandbox(["BindPaths": "/opt/app:/srv/app"]) { $0.replacing("/srv/app", with: "/opt/app") })
        #expect(linked.substitute(for: "/srv/app/app.db") == nil && linked.isOpen("/srv/app/app.db"))
    }

    @Test(
        "the directory of a socket need not be writable, but must be the one that others see",
        arguments: [
            ("/run/postgresql", [:], true), ("/tmp/pg", [:], false), ("/tmp/pg", ["PrivateTmp": "no"], true),
            ("/home/ada/pg", [:], false), ("/srv/pg", ["TemporaryFileSystem": "/srv:ro"], false),
            ("/srv/pg", ["BindPaths": "/opt/pg:/srv/pg"], false),
            ("/srv/pg", ["InaccessiblePaths": "/srv"], false),
        ] as [(String, [String: String], Bool)])
    func shows(directory: String, settings: [String: String], expected: Bool) throws {
        #expect(try #require(Self.sandbox(settings)).shows(directory) == expected)
    }

    @Test(
        "another host needs the lines that open the network, and no others",
        arguments: [
            (
                [:],
                ["PrivateNetwork=no", "RestrictAddressFamilies=AF_INET AF_INET6", "IPAddressAllow=any"]
            ),
            (["PrivateNetwork": "no", "RestrictAddressFamilies": "", "IPAddressDeny": ""], []),
            (["PrivateNetwork": "no", "RestrictAddressFamilies": "AF_INET AF_UNIX"], ["IPAddressAllow=any"]),
            (
                ["PrivateNetwork": "no", "IPAddressAllow": "10.0.0.5/32"],
                ["RestrictAddressFamilies=AF_INET AF_INET6"]
            ),
            (
                ["PrivateNetwork": "no", "RestrictAddressFamilies": "~AF_INET", "IPAddressDeny": ""],
                ["RestrictAddressFamilies="]
            ),
            (["PrivateNetwork": "no", "RestrictAddressFamilies": "~AF_PACKET", "IPAddressDeny": ""], []),
        ] as [([String: String], [String])])
    func network(settings: [String: String], expected: [String]) {
        let shipped = [
            "PrivateNetwork": "yes", "RestrictAddressFamilies": "AF_UNIX",
            "IPAddressDeny": "::/0 0.0.0.0/0", "IPAddressAllow": "",
        ]
        let unit = ManagedUnit(shipped.merging(settings) { $1 })
        #expect(UnitNetwork(unit).missing.map(\.description) == expected)
    }

    @Test("lines for several paths are one list, in which each setting is begun anew once")
    func several() throws {
        let sandbox = try #require(
            Self.sandbox(["ReadOnlyPaths": "/srv/a /srv/b/x.db /srv/c", "ReadWritePaths": "/srv"]))
        #expect(
            sandbox.missing(for: ["/srv/a", "/srv/b", "/srv/b/x.db", "/data", "/mnt"]).map(\.description) == [
                "ReadOnlyPaths=", "ReadOnlyPaths=/srv/c", "ReadWritePaths=-/data -/mnt",
            ])
    }

    @Test("a hole is one by the directory's name, or by where links lead from it")
    func links() throws {
        let resolve = { @Sendable (path: String) in path.replacing("/srv/app", with: "/data/app") }
        let closed = try #require(Self.sandbox(resolve: resolve))
        #expect(closed.missing(for: ["/srv/app"]).map(\.description) == ["ReadWritePaths=-/srv/app"])
        for hole in ["/srv/app", "/data/app"] {
            #expect(try #require(Self.sandbox(["ReadWritePaths": hole], resolve: resolve)).isOpen("/srv/app"))
        }
        let home = try #require(
            Self.sandbox(["ProtectSystem": "strict"]) { $0.replacing("/srv/app", with: "/home/app") })
        #expect(home.missing(for: ["/srv/app"]).map(\.description) == ["ProtectHome=no"])
        // A link in what is hidden leads nowhere.
        let way = try #require(Self.sandbox { $0.replacing("/home/a/app", with: "/var/lib/pruned") })
        #expect(way.missing(for: ["/home/a/app"]).map(\.description) == ["ProtectHome=no"])
    }

    @Test("of a unit with a root directory of its own nothing is known")
    func root() {
        #expect(Self.sandbox(["RootDirectory": "/srv/root"]) == nil)
        #expect(Self.sandbox(["RootImage": "/srv/image"]) == nil)
    }
}
