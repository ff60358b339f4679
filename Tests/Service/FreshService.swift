import Foundation
import Testing

/// The service in the container as it is right after it was installed: stopped, with the example as its
/// configuration and an empty state directory. What the last test did to it is undone.
struct FreshService {
    static let store = "/var/lib/pruned/shared/reader.sqlite"
    static let configuration = "/etc/pruned/pruned.toml"
    private static let systemUnits = "/etc/systemd/system"

    let container: Container
    /// Where the journal ended when the test began.
    private let cursor: String

    init() throws {
        container = try Container.shared()
        try container.run(
            "systemctl", "stop", "pruned", "pruned-run.timer", "pruned-run", AppProgram.everyUnit)
        try container.shell(
            """
            rm -rf /var/lib/pruned/* \(Self.systemUnits)/pruned*.d
            install -d -o pruned -g pruned -m 2770 /var/lib/pruned/shared
            cp /usr/local/share/doc/pruned/examples/pruned.toml \(Self.configuration)
            id app > /dev/null 2>&1 || useradd --groups pruned app
            systemctl daemon-reload
            systemctl reset-failed
            """)
        let end = try container.run("journalctl", "--lines=0", "--show-cursor")
        cursor = String(end.drop { $0 != ":" }.dropFirst(2))
    }

    /// Adds settings of `[Service]` to the unit.
    func override(_ settings: String...) throws {
        try override("pruned.service", "[Service]", settings)
    }

    /// Adds settings of a section to a unit.
    func override(_ unit: String, _ section: String, _ settings: [String]) throws {
        let dropIns = "\(Self.systemUnits)/\(unit).d"
        try container.shell("mkdir -p \(dropIns)")
        let text = section + "\n" + settings.joined(separator: "\n") + "\n"
        try Data(text.utf8).write(to: URL(filePath: container.path(dropIns + "/test.conf")))
        try container.run("systemctl", "daemon-reload")
    }

    /// Changes the configuration, and does not yet tell the service.
    func configure(_ change: (String) -> String) throws {
        let file = URL(filePath: container.path(Self.configuration))
        let before = try String(contentsOf: file, encoding: .utf8)
        let after = change(before)
        try #require(after != before, "the change must change the file")
        try Data(after.utf8).write(to: file)
    }

    /// Returns once systemd has the service's READY=1.
    func start() throws { try container.run("systemctl", "start", "pruned") }

    /// Sends a signal to the service's process, as anybody could who is allowed to.
    func signal(_ name: String) throws {
        try container.run("systemctl", "kill", "--kill-whom=main", "--signal=\(name)", "pruned")
    }

    /// What systemd knows of a unit.
    func property(_ name: String, of unit: String = "pruned") throws -> String {
        try container.run("systemctl", "show", "--property=\(name)", "--value", unit)
    }

    /// How often systemd started the service again by itself. Only differences mean something: stopping a service
    /// that waits for its restart leaves the count.
    func restarts() throws -> Int { Int(try property("NRestarts")) ?? 0 }

    /// What the service says it is doing.
    func status() throws -> String { try property("StatusText") }

    /// A unit's journal since the test began, entry by entry, with what systemd itself wrote about the unit.
    func journal(of unit: String = "pruned") throws -> [JournalRecord] {
        let name = unit.contains(".") ? unit : unit + ".service"
        return try journal().filter { $0["_SYSTEMD_UNIT"] == name || $0["UNIT"] == name }
    }

    /// What the program has said, whatever unit it was in: of a process that waited for more than five seconds and has
    /// ended before journald got to its last words, journald knows the unit no more.
    func programJournal() throws -> [JournalRecord] { try journal().filter(\.isOurs) }

    /// All that was said. Of what it is told to look for after a cursor, journalctl leaves out the first if that at the
    /// cursor is none of it.
    private func journal() throws -> [JournalRecord] {
        try container.run("journalctl", "--sync")
        let lines = try container.run(
            "journalctl", "--after-cursor=\(cursor)", "--output=json", "--no-pager")
        return try lines.split(separator: "\n").map { try JournalRecord(json: Data($0.utf8)) }
    }

    /// Runs SQL on the store as the app does: by a user of its own, who is in the group pruned.
    @discardableResult
    func app(_ sql: String...) throws -> String {
        let line = ["runuser", "-u", "app", "--", "sqlite3", "-cmd", ".timeout 5000", Self.store]
        return try container.attempt(line + sql).answer()
    }

    /// Whether the service waits for the next rule that is due.
    func isIdle() throws -> Bool { try status().hasPrefix("Idle; next: ") }
}
