import Foundation
import TestSupport

/// A state directory after two runs and a restore: an archive with leases, a held rule, and rows that expire next.
struct LedgerTemplate: Sendable {
    /// What a person said of the held rule.
    enum Confirmation: CaseIterable {
        case none
        /// Before the rows became many more than were shown.
        case outgrown
    }

    let confirmation: Confirmation
    /// The store, the ledger and the archive, with what lies beside them, by their names.
    let files: [String: [UInt8]]
    /// The runs that can be restored.
    let runs: [String]
    /// All rows that ever were in a table.
    let rows: [String: Set<String>]

    static let tables = ["archived", "held", "plain"]
    static let ledger = "ledger/state.sqlite"
    static let archive = "archive/app/archive.sqlite"

    init(_ confirmation: Confirmation, with pruned: String, in directory: String, now: Int) throws {
        self.confirmation = confirmation
        try? FileManager.default.removeItem(atPath: directory)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = directory + "/app.sqlite"
        var store: StoreFile? = try StoreFile(path)
        try Self.configuration.write(toFile: directory + "/pruned.toml", atomically: false, encoding: .utf8)
        let common = ["--state-dir", directory, "--config", directory + "/pruned.toml"]
        func run(_ arguments: [String], _ status: Int32) throws -> EndedProgram {
            let ended = try spawn([pruned] + arguments + common, in: directory)
            guard ended.status == status else { throw Unexpected(ended: ended) }
            return ended
        }
        for table in Self.tables {
            try store?.execute(
                "CREATE TABLE \(table) (id INTEGER PRIMARY KEY, at INTEGER, x TEXT, y BLOB, z REAL)")
        }
        var rows: [String: Set<String>] = [:]
        func add(_ ids: Range<Int>, to tables: [String], days: Int) throws {
            for table in tables {
                for id in ids {
                    try store?.execute(
                        "INSERT INTO \(table) VALUES (\(id), \(now - (days + id % 7) * 86_400), 'row \(id) ' || "
                            + "hex(zeroblob(\(id % 5 * 9))), x'00\(id % 10)F', \(id) / 7.0)")
                }
                try rows[table, default: []].formUnion(Self.rows(table, store))
            }
        }
        try add(0..<20, to: Self.tables, days: 1)
        try add(100..<130, to: Self.tables, days: 120)
        _ = try run(["--run-now", "--json"], 3)
        let first = try run(["restore"], 0)
        guard let lease = Self.runs(in: first.output).first else { throw Unexpected(ended: first) }
        _ = try run(["restore", lease], 0)
        try add(200..<230, to: Self.tables, days: 120)
        if confirmation == .outgrown { _ = try run(["confirm", "held"], 0) }
        _ = try run(["--run-now", "--rule", "archived", "--rule", "plain"], 0)
        try add(300..<330, to: ["archived", "plain"], days: 120)
        try add(400..<600, to: ["held"], days: 120)
        for table in Self.tables { try rows[table, default: []].formUnion(Self.rows(table, store)) }
        self.rows = rows
        runs = Self.runs(in: try run(["restore"], 0).output)
        store = nil
        files = try Self.files(in: directory)
    }

    /// The files, with those of a transaction in the archive's log and of one in the ledger that was cut off.
    private static func files(in directory: String) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        let archive = try StoreFile(directory + "/" + Self.archive)
        try archive.execute(
            "PRAGMA wal_autocheckpoint = 0; UPDATE batch SET rule = rule; UPDATE lease SET rule = rule")
        let ledger = try StoreFile(directory + "/" + Self.ledger)
        files[Self.ledger + " whole"] = StoreTemplate.bytes(directory + "/" + Self.ledger)
        try ledger.execute(
            "PRAGMA cache_size = 1; BEGIN; UPDATE history SET id = id + 1000; UPDATE last_run SET said = said"
        )
        for name in [
            "app.sqlite", Self.ledger, Self.ledger + "-journal", Self.archive, Self.archive + "-wal",
        ] {
            let bytes = StoreTemplate.bytes(directory + "/" + name)
            if !bytes.isEmpty { files[name] = bytes }
        }
        return files
    }

    static func rows(_ table: String, _ store: StoreFile?) throws -> [String] {
        try store?.texts(
            "SELECT id || '|' || at || '|' || quote(x) || '|' || quote(y) || '|' || quote(z) FROM \(table)")
            ?? []
    }

    /// The runs of a list that `restore` prints.
    private static func runs(in output: String) -> [String] {
        output.split(separator: "\n").dropFirst().compactMap {
            $0.split(separator: " ").first.map(String.init)
        }
    }

    static let configuration = """
        store.app.path = "app.sqlite"
        [rule.archived]
        table = "archived"
        age_column = "at"
        keep = "100d"
        archive = true
        [rule.held]
        table = "held"
        age_column = "at"
        keep = "100d"
        guard = { max_share = 0.05, min_rows = 1 }
        [rule.plain]
        table = "plain"
        age_column = "at"
        keep = "100d"
        guard = { max_share = 1.0, min_rows = 1 }

        """

    /// The program did not do what the template needs.
    struct Unexpected: Error, CustomStringConvertible {
        let ended: EndedProgram
        var description: String { "unexpected: \(ended)" }
    }
}
