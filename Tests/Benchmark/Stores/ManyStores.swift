import Foundation
import TestSupport

/// Many stores of a kind, as an app has that keeps a file for each of its users.
struct ManyStores {
    /// What is done with all of them.
    enum Work: CaseIterable {
        /// The rows that are due are copied to an archive, and deleted.
        case archiving
        case deleting
        /// No row is due.
        case nothing

        var title: String {
            switch self {
            case .archiving: "\(dueRows.inWords) rows due in each, archiving"
            case .deleting: "\(dueRows.inWords) rows due in each"
            case .nothing: "nothing due"
            }
        }

        var dueRows: Int { self == .nothing ? 0 : 1_000 }
    }

    let directory: String
    let count: Int

    private static let rows = 3_000

    private func path(_ store: Int) -> String { directory + "/app\(store).sqlite" }

    /// Makes all of them anew, in which `work` finds its rows, and writes them to the disk.
    func make(for work: Work) throws {
        remove()
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let fill = """
            PRAGMA journal_mode = WAL;
            CREATE TABLE entry (id INTEGER PRIMARY KEY, date INTEGER, title TEXT); CREATE INDEX entry_date ON entry (date);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.rows)) INSERT INTO entry
            SELECT i, unixepoch() - iif(i <= \(work.dueRows), 300, 10) * 86400 - i, 'The title of article ' || i FROM n;
            """
        try Program.sqlite3(path(0), fill).measured().checked()
        for store in 1..<count {
            try FileManager.default.copyItem(atPath: path(0), toPath: path(store))
        }
        sync()
    }

    func remove() { try? FileManager.default.removeItem(atPath: directory) }

    /// Has `pruned`, or one `sqlite3` after another if that is nil, do the work on new stores, and checks what is left.
    func run(_ work: Work, by pruned: String?) throws -> Sample {
        try make(for: work)
        let ended = try (pruned.map { try prune(work, by: $0) } ?? loop(work)).measured().checked()
        if pruned != nil {
            let report = try PrintedReport(json: ended.output)
            guard report.rules.allSatisfy({ $0.outcome == "done" && $0.deleted == work.dueRows }) else {
                throw BenchmarkError("not all of \(count) stores were pruned: \(ended.output.prefix(500))")
            }
        }
        for store in [0, count / 2, count - 1] {
            let left = try Program.sqlite3(path(store), "SELECT count(*) FROM entry").measured().answer()
            guard left == "\(Self.rows - work.dueRows)" else {
                throw BenchmarkError("\(path(store)) has \(left) rows")
            }
        }
        return Sample(
            usage: ended.usage, report: nil, reclaim: nil, app: nil, logBytes: 0, fileBytes: 0,
            vacuumedBytes: nil)
    }

    /// Has `pruned` answer a command about all of them, which are made for archiving.
    func ask(_ command: String, _ pruned: String) throws -> Sample {
        let options = ["--config", try configure(.archiving), "--state-dir", state]
        let ended = try Program(pruned, [command] + options).measured().checked()
        return Sample(
            usage: ended.usage, report: nil, reclaim: nil, app: nil, logBytes: 0, fileBytes: 0,
            vacuumedBytes: nil)
    }

    private var state: String { directory + "/state" }

    private func prune(_ work: Work, by program: String) throws -> Program {
        Program(program, ["--run-now", "--json", "--config", try configure(work), "--state-dir", state])
    }

    /// Writes the configuration, and returns its path.
    private func configure(_ work: Work) throws -> String {
        let stores = (0..<count).map { store in
            """
            [store.app\(store)]
            path = "\(path(store))"
            reclaim = false
            [rule.entries\(store)]
            store = "app\(store)"
            table = "entry"
            age_column = "date"
            keep = "200d"
            every = "1d"
            archive = \(work == .archiving)

            """
        }
        let file = directory + "/pruned.toml"
        try "[guard]\nmax_share = 1.0\n\(stores.joined())".write(
            toFile: file, atomically: false, encoding: .utf8)
        return file
    }

    private func loop(_ work: Work) -> Program {
        let due = "date < unixepoch() - 200 * 86400"
        let copy =
            "ATTACH '$1.archive' AS archive; CREATE TABLE archive.entry AS SELECT * FROM entry WHERE \(due);"
        let script = """
            for store in "$0"/app*.sqlite; do set -- "$store"
            sqlite3 -init /dev/null -batch -bail "$store" "\(work == .archiving ? copy : "") DELETE FROM entry WHERE \(due)"
            done
            """
        return Program("sh", ["-ec", script, directory])
    }
}
