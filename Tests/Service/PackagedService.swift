import Foundation
import TestSupport

/// A Debian of its own, without Swift and without anything of pruned's, and the package to install in it.
struct PackagedService {
    static let store = "/var/lib/pruned/shared/reader.sqlite"
    static let configuration = "/etc/pruned/pruned.toml"

    /// The one of this test run: the package is built, and the container booted, when it is first asked for.
    private static let made = Result {
        let directory = FileManager.default.temporaryDirectory.appending(path: "packages-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (package, reader) = try Checkout.makePackages(in: directory)
        let complaints = try Program(
            ["lintian", "--fail-on", "error,warning", package.path, reader.path], inherits: true
        ).run(seconds: 300)
        let size = try package.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
        let container = try Container()
        let older = try Self.older(than: package)
        try FileManager.default.copyItem(at: package, to: URL(filePath: container.path("/root/new.deb")))
        try FileManager.default.copyItem(at: reader, to: URL(filePath: container.path("/root/reader.deb")))
        try FileManager.default.copyItem(at: older, to: URL(filePath: container.path("/root/old.deb")))
        return (container, complaints, size)
    }

    let container: Container
    /// What lintian said of the packages.
    let complaints: EndedProgram
    /// How large the service's package is, in bytes.
    let size: Int

    /// What earlier tests did is undone.
    init() throws {
        (container, complaints, size) = try Self.made.get()
        try container.shell(
            """
            dpkg --purge pruned pruned-reader 2> /dev/null
            rm -rf /var/lib/pruned /etc/pruned
            id app > /dev/null 2>&1 || useradd app
            systemctl reset-failed
            """)
    }

    /// What there is to install: two versions of the service, and the app.
    enum Version: String {
        case old, new, reader
    }

    /// Installs or upgrades, as a person would who keeps what they have changed.
    func install(_ version: Version = .new) throws {
        try container.run(
            "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "--yes",
            "--option=Dpkg::Options::=--force-confold",
            "/root/\(version.rawValue).deb")
    }

    /// `apt-get remove` or `apt-get purge`.
    func apt(_ action: String) throws { try container.run("apt-get", action, "--yes", "pruned") }

    func isActive(_ unit: String = "pruned") throws -> Bool {
        try container.attempt("systemctl", "is-active", unit).status == 0
    }

    func isEnabled(_ unit: String = "pruned") throws -> Bool {
        try container.attempt("systemctl", "is-enabled", unit).status == 0
    }

    func exists(_ path: String) throws -> Bool { try container.attempt("test", "-e", path).status == 0 }

    /// Adds an item that has expired and one that has not, as the app does; then the service is asked to run.
    func addItems() throws {
        try container.run("usermod", "--append", "--groups", "pruned", "app")
        let sql = "INSERT INTO item (id, timestamp) VALUES (1, 1500000000), (2, unixepoch())"
        try container.run("runuser", "-u", "app", "--", "sqlite3", "-cmd", ".timeout 5000", Self.store, sql)
        try container.run("systemctl", "kill", "--kill-whom=main", "--signal=USR1", "pruned")
    }

    /// Puts what the installed configuration has as comments in force, with a rule of another name, as an administrator may.
    func changeConfiguration() throws {
        try container.run(
            "sed", "-i", "-e", "s/^#\\([^ ]\\)/\\1/", "-e", "s/rule.items/rule.mine/", Self.configuration)
    }

    func items() throws -> String {
        try container.run("sqlite3", "-readonly", "-cmd", ".timeout 5000", Self.store, "SELECT id FROM item")
    }

    /// Every file in the state directory, and what is in it.
    func state() throws -> String {
        try container.shell("cd /var/lib/pruned && find . -type f -exec sha256sum {} + | sort -k 2")
    }

    /// The same package with a smaller version, and another configuration.
    private static func older(than package: URL) throws -> URL {
        let directory = package.deletingLastPathComponent()
        let tree = directory.appending(path: "tree").path
        let older = directory.appending(path: "old.deb")
        try Program(["dpkg-deb", "--raw-extract", package.path, tree], inherits: true).answer()
        try Program(
            ["sed", "-i", "s/^Version: .*/Version: 0.0.1/", tree + "/DEBIAN/control"], inherits: true
        ).answer()
        try Program(
            ["sed", "-i", "1i # Of the older version.", tree + "/etc/pruned/pruned.toml"], inherits: true
        ).answer()
        try Program(["dpkg-deb", "-Znone", "--build", tree, older.path], inherits: true).answer()
        return older
    }
}
