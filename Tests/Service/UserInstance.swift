import Foundation
import TestSupport

/// A person whose databases the administrator lets the system's systemd prune, by `pruned@ada.service`: a database in the
/// home, as newsboat has one, and nothing of pruned's yet.
struct UserInstance {
    static let home = "/home/ada"
    static let store = home + "/.local/share/newsboat/cache.db"
    static let state = "/var/lib/pruned-user/ada"
    static let configuration = home + "/.config/pruned/pruned.toml"
    private static let unit = "pruned@ada"
    private static let dropIns = "/etc/systemd/system/pruned@.service.d"

    let container: Container
    private let cursor: String

    init() throws {
        container = try Container.shared()
        try container.shell(
            """
            id ada > /dev/null 2>&1 || useradd --create-home ada
            systemctl disable --now --quiet \(Self.unit)
            rm -rf \(Self.dropIns) \(Self.state) \(Self.home)/.local \(Self.home)/.config /home/ada/keys
            systemctl daemon-reload
            systemctl reset-failed
            cp /usr/local/share/doc/pruned/examples/pruned.toml /etc/pruned/pruned.toml
            install -d -o ada -g ada -m 755 \(Self.home)/.local \(Self.home)/.local/share \(Self.home)/.config
            install -d -o ada -g ada -m 755 \(Self.home)/.local/share/newsboat \(Self.home)/.config/pruned
            """)
        cursor = String(
            try container.run("journalctl", "--lines=0", "--show-cursor").drop { $0 != ":" }.dropFirst(2))
        try query(
            """
            CREATE TABLE rss_item (
                id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, guid VARCHAR(64) NOT NULL, title VARCHAR(1024) NOT NULL,
                author VARCHAR(1024) NOT NULL, url VARCHAR(1024) NOT NULL, feedurl VARCHAR(1024) NOT NULL,
                pubDate INTEGER NOT NULL, content VARCHAR(65535) NOT NULL, unread INTEGER(1) NOT NULL,
                enclosure_url VARCHAR(1024), enclosure_type VARCHAR(1024), enqueued INTEGER(1) NOT NULL DEFAULT 0,
                flags VARCHAR(52), deleted INTEGER(1) NOT NULL DEFAULT 0, base VARCHAR(128) NOT NULL DEFAULT '');
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
            INSERT INTO rss_item (guid, title, author, url, feedurl, pubDate, content, unread)
                SELECT 'guid' || i, '', '', '', 'feed', unixepoch('now') - i * 3600 + 1800, '', 0 FROM n
            """)
        try configure(keep: "60d")
    }

    /// Writes ada's configuration.
    func configure(keep: String) throws {
        let file = container.path("/root/ada.toml")
        try """
        [store.news]
        path = "\(Self.store)"
        [rule.news]
        table = "rss_item"
        age_column = "pubDate"
        keep = "\(keep)"
        """.write(toFile: file, atomically: true, encoding: .utf8)
        try container.run("install", "-o", "ada", "-m", "600", "/root/ada.toml", Self.configuration)
    }

    /// Runs a command as ada, who has no sudo.
    func attempt(_ line: String...) throws -> EndedProgram {
        try container.attempt(
            ["runuser", "-u", "ada", "--", "env", "--chdir=/", "HOME=\(Self.home)"] + line)
    }

    @discardableResult
    func query(_ sql: String) throws -> String {
        try attempt("sqlite3", "-cmd", ".timeout 5000", Self.store, sql).answer()
    }

    /// How many articles are left.
    func articles() throws -> Int { Int(try query("SELECT count(*) FROM rss_item")) ?? -1 }

    /// Adds settings of `[Service]` to the template.
    func override(_ lines: String...) throws {
        try container.shell("mkdir -p \(Self.dropIns)")
        let text = (["[Service]"] + lines).joined(separator: "\n") + "\n"
        try text.write(
            toFile: container.path(Self.dropIns + "/override.conf"), atomically: true, encoding: .utf8)
        try container.run("systemctl", "daemon-reload")
    }

    func start() throws { try container.run("systemctl", "start", Self.unit) }

    func property(_ name: String) throws -> String {
        try container.run("systemctl", "show", "--property=\(name)", "--value", Self.unit)
    }

    func isIdle() throws -> Bool { try property("StatusText").hasPrefix("Idle; next: ") }

    func journal(_ options: String...) throws -> String {
        try container.run("journalctl", "--sync")
        let line = [
            "journalctl", "--unit=\(Self.unit)", "--after-cursor=\(cursor)", "--output=cat", "--quiet",
        ]
        return try container.attempt(line + options).answer()
    }
}
