import TestSupport
import Foundation
import Testing

/// What `pruned check` says of the sandbox of a unit: that of systemd, whose answers stand in a file here.
@Suite(.root, .enabled(if: access("/bin/systemctl", X_OK) == 0, "needs systemctl in its place"))
struct CheckedUnitTests {
    private var state: StateDirectory
    private let shelf: String
    private let file: String

    init() throws {
        state = try StateDirectory.sampled(records: 10)
        shelf = try state.sandbox.makeDirectory("shelf")
        rename(state.storePath, shelf + "/app.db")
        file = try state.configuration(
            """
            store.app.path = "\(shelf)/app.db"
            [rule.items]
            table = "item"
            age_column = "timestamp"
            keep = "183d"
            """)
        let answers = state.sandbox.path + "/systemctl"
        try state.sandbox.write("systemctl", "#!/bin/sh\ncat '\(state.sandbox.path)/unit'\n")
        chmod(answers, 0o755)
        let mounts =
            "mount -t tmpfs none /run && mkdir -p /run/systemd/system && mount --bind '\(answers)' /bin/systemctl"
        state.prefix = [
            "unshare", "--mount", "--propagation", "private", "sh", "-c", mounts + " && exec \"$@\"", "sh",
        ]
    }

    private func check(_ settings: [String], _ configuration: String? = nil) throws -> EndedProgram {
        let unit =
            [
                "Id=pruned.service", "LoadState=loaded", "ActiveState=active", "User=root",
                "ExecStart={ argv[]=/usr/bin/pruned --state-dir \(state.path)/ ; ignore_errors=no }",
                "ProtectSystem=strict",
            ] + settings
        try state.sandbox.write("unit", unit.joined(separator: "\n") + "\n")
        return try state.pruned("check", "--config", configuration ?? file).run()
    }

    @Test("the store's file, its directory and the state must be open, and what closes one is named")
    func closed() throws {
        let open = "ReadWritePaths=\(shelf) \(state.path)"
        let good = try check([open])
        #expect(good.status == 0 && good.output.contains("ok: it can write where it must"), "\(good)")
        for (line, place, reset) in [
            ("ReadOnlyPaths=\(shelf)/app.db", shelf + "/app.db", "ReadOnlyPaths="),
            ("InaccessiblePaths=\(shelf)/app.db", shelf + "/app.db", "InaccessiblePaths="),
            ("ReadOnlyPaths=+\(shelf)", shelf, "ReadOnlyPaths="),
            ("BindReadOnlyPaths=\(shelf):\(shelf):rbind", shelf, "BindReadOnlyPaths="),
            ("ReadOnlyPaths=\(state.path)/", state.path, "ReadOnlyPaths="),
        ] {
            let ended = try check([open, line])
            #expect(
                ended.status == 74 && ended.output.contains("WRONG: it cannot write to \(place)\n"),
                "\(ended)")
            #expect(ended.errors.contains("\"[Service]\", \"\(reset)\";"), "\(ended)")
        }
    }

    @Test("of a unit whose files systemd has not read again only that is said")
    func outdated() throws {
        let open = "ReadWritePaths=\(shelf) \(state.path)"
        let ended = try check(["NeedDaemonReload=yes"])
        #expect(ended.status == 74 && ended.output.contains("WRONG: it cannot write to \(shelf)"), "\(ended)")
        let told = ended.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(told.contains("its files have changed since systemd read them"), "\(told)")
        let hint = "`systemctl daemon-reload`; then `systemctl restart pruned.service`; then check again"
        #expect(told.contains(hint) && !told.contains("ReadWritePaths"), "\(told)")
        let good = try check([open, "NeedDaemonReload=yes"])
        #expect(good.status == 0, "\(good)")
    }

    @Test("a unit that is not in use is remarked only while none is")
    func unused() throws {
        let run = [
            "", "Id=pruned-run.service", "LoadState=loaded", "ActiveState=inactive", "UnitFileState=disabled",
            "User=root", "ExecStart={ argv[]=/usr/bin/pruned --state-dir \(state.path) ; ignore_errors=no }",
            "ProtectSystem=strict",
        ]
        let one = try check(["ReadWritePaths=\(shelf) \(state.path)"] + run)
        #expect(one.status == 0 && !one.output.contains("pruned-run"), "\(one)")
        let none = try check(["ActiveState=inactive"] + run)
        #expect(none.status == 0, "\(none)")
        for name in ["pruned", "pruned-run"] {
            #expect(none.output.contains("unit \(name).service"), "\(none)")
        }
    }

    @Test("another file in the place of the store's is none that was checked")
    func bound() throws {
        let ended = try check(["ReadWritePaths=\(state.path)", "BindPaths=/opt/app:\(shelf):rbind"])
        #expect(ended.status == 74, "\(ended)")
        #expect(
            ended.output.contains("it has another file at \(shelf)/app.db, that of /opt/app/app.db"),
            "\(ended)")
        #expect(ended.errors.contains("\"BindPaths=\", \"ReadWritePaths=-\(shelf)\""), "\(ended)")
    }

    @Test(
        "a server on another host must be reachable from the sandbox, and a socket must be seen",
        arguments: [
            ("host=127.0.0.1 port=1", ["127.0.0.1"], ["PrivateNetwork=no", "IPAddressAllow=any"]),
            ("postgresql://ada@localhost:1/db", ["localhost"], ["RestrictAddressFamilies=AF_INET AF_INET6"]),
            ("host=/srv/of-nobody/hidden", ["/srv/of-nobody/hidden"], ["InaccessiblePaths="]),
            ("host=/srv/of-nobody", [], []),
        ])
    func servers(url: String, places: [String], lines: [String]) throws {
        try state.sandbox.write(
            "policy.toml",
            """
            store.app.url = "\(url)"
            [rule.items]
            table = "item"
            age_column = "timestamp"
            keep = "183d"
            """)
        let closed = [
            "ReadWritePaths=\(state.path)", "InaccessiblePaths=/srv/of-nobody/hidden", "PrivateNetwork=yes",
            "RestrictAddressFamilies=AF_UNIX", "IPAddressDeny=::/0 0.0.0.0/0",
        ]
        let configuration = state.sandbox.path + "/policy.toml"
        let ended = try check(closed, configuration)
        #expect(ended.status == 74, "no server is there: \(ended)")
        let told = (ended.output + ended.errors).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for place in places { #expect(told.contains("cannot connect to \(place)"), "\(told)") }
        for line in lines { #expect(told.contains("\"\(line)\""), "\(told)") }
        #expect(!told.contains("ReadWritePaths=-"), "\(told)")
        #expect(places.isEmpty == told.contains("it can write and connect where it must"), "\(told)")
        let open = [
            "ReadWritePaths=\(state.path)", "PrivateNetwork=no",
            "RestrictAddressFamilies=AF_UNIX AF_INET", "IPAddressDeny=",
        ]
        let good = try check(open, configuration)
        #expect(good.output.contains("it can write and connect where it must"), "\(good)")
    }
}
