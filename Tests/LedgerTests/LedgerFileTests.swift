import Foundation
@testable import Ledger
import Pruning
import Retention
import SQLite
import Synchronization
import TestSupport
import Testing

/// The ledger's file: who can use it, and what becomes of one that cannot be used.
struct LedgerFileTests {
    private let directory: TemporaryDirectory
    private var place: String { directory.path + "/ledger" }
    private var path: String { place + "/state.sqlite" }
    private let notices = Notices()

    init() throws {
        directory = try TemporaryDirectory()
    }

    private final class Notices: Sendable {
        private let said = Mutex<[LedgerNotice]>([])
        func add(_ notice: LedgerNotice) { said.withLock { $0.append(notice) } }
        var damage: [StateDamage] {
            said.withLock { $0.compactMap { if case .damage(let damage) = $0 { damage } else { nil } } }
        }
        var oldFiles: [[String]] {
            said.withLock { $0.compactMap { if case .oldFiles(let names) = $0 { names } else { nil } } }
        }
    }

    private func ledger() -> Ledger {
        Ledger(stateDirectory: directory.path) { [notices] in notices.add($0) }
    }

    private var rule: RetentionRule { Reports.task("r").rule }

    private func status(_ path: String) throws -> stat {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        return status
    }

    private func execute(_ sql: String) throws {
        let db = try Database(uri: "file:\(path)", isReadOnly: false, busyTimeout: 0)
        defer { db.close() }
        try db.execute(sql)
    }

    @Test("to look makes nothing, where there is no directory, too")
    func looking() throws {
        #expect(try ledger().findDamage() == nil && ledger().lastRuns() == [:])
        let nowhere = Ledger(stateDirectory: "/nonexistent/state")
        #expect(try nowhere.findDamage() == nil && nowhere.entries() == [])
        #expect(try directory.entries == [])
    }

    @Test("a state directory that is not there, or is none, is an error that says for what it was needed")
    func missing() {
        let error = #expect(throws: StoreError.self) {
            try Ledger(stateDirectory: "/nonexistent/state").record([rule], at: runStart)
        }
        #expect(error?.kind == .inputOutput)
        #expect(
            error?.reason
                == "cannot remember the last runs in /nonexistent/state: No such file or directory")
        let file = #expect(throws: StoreError.self) { try Ledger(stateDirectory: "/dev/null/x").entries() }
        #expect(file?.kind == .inputOutput && file?.cause == "Not a directory")
    }

    @Test(
        "what is no ledger counts as empty, and is set aside by who writes next, with its name said once",
        arguments: [
            "", "no database", "SQLite format 3\u{0}", "of another program", "of a later version",
            "without a table", "cut", "with another column", "with a trigger", "with a view for a table",
            "with a table more",
        ])
    func foreign(kind: String) throws {
        try ledger().record([rule], at: runStart)
        switch kind {
        case "of another program": try execute("PRAGMA application_id = 7")
        case "of a later version": try execute("PRAGMA user_version = 2")
        case "without a table": try execute("DROP TABLE clock")
        case "cut": truncate(path, 5_000)
        case "with another column": try execute("ALTER TABLE run_reclaim RENAME COLUMN steps TO stepz")
        case "with a trigger":
            try execute("CREATE TRIGGER t AFTER INSERT ON last_run BEGIN \(Self.endless); END")
        case "with a view for a table":
            try execute("DROP TABLE last_run")
            try execute("CREATE VIEW last_run AS \(Self.endless)")
        case "with a table more": try execute("CREATE TABLE t (x)")
        default:
            try Data((kind + String(repeating: "x", count: kind.isEmpty ? 0 : 9_000)).utf8).write(
                to: URL(filePath: path))
        }
        let isDamaged = !kind.isEmpty
        #expect(try (ledger().findDamage() != nil) == isDamaged)
        #expect(try ledger().findDamage()?.path == (isDamaged ? path : nil))
        try ledger().prepare()
        #expect(ledger().lastRuns() == [:])
        try ledger().record([rule], at: runStart)
        #expect(ledger().lastRuns().count == 1)
        let aside = try FileManager.default.contentsOfDirectory(atPath: place).filter { $0 != "state.sqlite" }
        #expect(aside.count == (isDamaged ? 1 : 0) && notices.damage.count == aside.count)
        for name in aside {
            #expect(name.hasPrefix("state.sqlite.damaged-"))
            #expect(notices.damage[0].reason.contains(place + "/" + name))
        }
    }

    private static let endless =
        "SELECT count(*) FROM (WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n)"

    /// Where a table or an index begins, in pages.
    private func root(_ name: String) throws -> Int {
        let db = try Database(uri: "file:\(path)", isReadOnly: true, busyTimeout: 0)
        defer { db.close() }
        return Int(
            try db.value("SELECT rootpage FROM sqlite_schema WHERE name = :name", ["name": .text(name)])
                .integer)
    }

    private func swapPages(_ one: Int, _ other: Int) throws {
        var bytes = try Data(contentsOf: URL(filePath: path))
        let (first, second) = ((one - 1) * 4_096, (other - 1) * 4_096)
        let kept = bytes.subdata(in: first..<first + 4_096)
        bytes.replaceSubrange(first..<first + 4_096, with: bytes.subdata(in: second..<second + 4_096))
        bytes.replaceSubrange(second..<second + 4_096, with: kept)
        try bytes.write(to: URL(filePath: path))
    }

    @Test(
        "damage that only an index has, or only who writes meets, is told and set aside like any other",
        arguments: [("history_run", "run_rule_rule"), ("history", "run_reclaim")])
    func hidden(one: String, other: String) throws {
        let report = Reports.run(Reports.rule("r"))
        try ledger().append([.run(report, by: Reports.hand)])
        try swapPages(root(one), root(other))
        let write = { try ledger().append([.run(report, by: Reports.hand)]) }
        try ledger().prepare()
        try write()
        #expect(notices.damage.count == 1)
        #expect(try ledger().findDamage() == nil)
        #expect(try ledger().read(or: []) { try $0.lastAttempts().keys.sorted() } == ["r"])
    }

    @Test("what must outlive a power cut is on the disk with the directory that its journal was in")
    func durable() throws {
        let levels = try [true, false].map { isDurable in
            try ledger().write("test", isDurable: isDurable) { try $0.db.value("PRAGMA synchronous").integer }
        }
        #expect(levels == [3, 1])  // EXTRA, NORMAL; sqlite.org/pragma.html#pragma_synchronous
    }

    @Test("statistics that a person had SQLite gather in it are no damage, nor is a file that it packed")
    func maintained() throws {
        try ledger().record([rule], at: runStart)
        try execute("ANALYZE")
        try execute("VACUUM")
        try ledger().prepare()
        #expect(ledger().lastRuns().count == 1 && notices.damage.isEmpty)
    }

    @Test("a ledger of an older version is read as it is, and gets what it lacks when something is written")
    func older() throws {
        var report = Reports.rule("r", deleted: 5)
        report.cameBack = 3
        try ledger().record([rule], at: runStart, reports: [report])
        try ledger().append([.run(Reports.run(report), by: Reports.hand)])
        try execute("DROP TABLE run_size")
        #expect(try ledger().findDamage() == nil)
        #expect(try ledger().entries().first?.rules?.first?.cameBack == 3)
        for table in ["run_rule", "last_run"] { try execute("ALTER TABLE \(table) DROP COLUMN came_back") }
        #expect(try ledger().findDamage() == nil)
        #expect(ledger().lastRuns()["r"]?.deleted == 5 && ledger().lastRuns()["r"]?.cameBack == nil)
        #expect(try ledger().entries().first?.rules?.first?.cameBack == nil)

        try ledger().append([.run(Reports.run(report, seed: 2), by: Reports.hand)])
        try ledger().record([rule], at: runStart, reports: [report])
        #expect(try ledger().entries().map { $0.rules?.first?.cameBack } == [nil, 3])
        #expect(ledger().lastRuns()["r"]?.cameBack == 3)
        #expect(try ledger().findDamage() == nil && notices.damage.isEmpty)
    }

    @Test(
        "what others put in its place is not opened, and set aside",
        arguments: [
            "link", "pipe", "directory", "hard link", "link of the directory", "file for the directory",
        ])
    func planted(kind: String) throws {
        let victim = directory.path + "/victim"
        try "precious".write(toFile: victim, atomically: false, encoding: .utf8)
        mkdir(place, 0o750)
        switch kind {
        case "link": symlink(victim, path)
        case "pipe": mkfifo(path, 0o600)
        case "directory": mkdir(path, 0o700)
        case "hard link": link(victim, path)
        case "link of the directory":
            rmdir(place)
            mkdir(directory.path + "/other", 0o700)
            symlink("other", place)
        default:
            rmdir(place)
            try "".write(toFile: place, atomically: false, encoding: .utf8)
        }
        #expect(try ledger().findDamage() != nil)
        try ledger().record([rule], at: runStart)
        #expect(ledger().lastRuns().count == 1)
        #expect(notices.damage.count == 1)
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
    }

    @Test("a directory that others can write to, or own, is not believed")
    func foreignDirectory() throws {
        try ledger().record([rule], at: runStart)
        chmod(place, 0o770)
        #expect(try ledger().findDamage()?.reason.contains("others can write to it") == true)
        #expect(ledger().lastRuns() == [:])
        try ledger().record([rule], at: runStart)
        guard geteuid() == 0 else { return }
        chown(path, 4_711, 4_711)
        #expect(try ledger().findDamage()?.reason.contains("it belongs to user 4711") == true)
        #expect(ledger().lastRuns() == [:])
    }

    @Test("while somebody has it locked, who asks is told so soon, and nothing is lost")
    func locked() throws {
        try ledger().record([rule], at: runStart)
        let other = try Database(uri: "file:\(path)", isReadOnly: false, busyTimeout: 0)
        defer { other.close() }
        try other.execute("BEGIN EXCLUSIVE")
        let ledger = Ledger(stateDirectory: directory.path, patience: 50)
        let write = #expect(throws: StoreError.self) { try ledger.record([rule], at: runStart) }
        #expect(write?.kind == .busy && write?.place == path && write?.hint != nil)
        let read = #expect(throws: StoreError.self) { try ledger.entries() }
        #expect(read?.kind == .busy)
        try other.execute("COMMIT")
        #expect(ledger.lastRuns().count == 1)
    }

    @Test("what a version before the ledger left is named once, and left alone")
    func oldFiles() throws {
        let old = directory.path + "/last-runs.json"
        try "{}".write(toFile: old, atomically: false, encoding: .utf8)
        for _ in 0..<2 { try ledger().prepare() }
        #expect(notices.oldFiles == [["last-runs.json"]])
        #expect(try String(contentsOfFile: old, encoding: .utf8) == "{}")
    }

    @Test("what fails in the middle leaves nothing of it")
    func rollsBack() throws {
        try ledger().record([rule], at: runStart)
        struct Failure: Error {}
        #expect(throws: StoreError.self) {
            try ledger().write("test") { tables in
                try tables.recordRuns(of: [Reports.task("q").rule], at: runStart)
                throw Failure()
            }
        }
        #expect(Array(ledger().lastRuns().keys) == ["r"])
    }

    @Test(
        "who does not own the state directory is told who can write there, and makes nothing",
        .enabled(if: geteuid() == 0))
    func another() throws {
        chmod(directory.path, 0o2770)
        try #require(chown(directory.path, 4_711, 4_712) == 0)
        let error = #expect(throws: StoreError.self) { try ledger().record([rule], at: runStart) }
        #expect(error?.kind == .inputOutput && error?.hint?.contains("user 4711") == true)
        #expect(try ledger().isOwn == false && directory.entries == [])
    }
}
