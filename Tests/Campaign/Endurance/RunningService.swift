import Foundation
import TestSupport

/// A service that prunes some stores, and the app that fills them.
final class RunningService {
    private let directory: String
    private let socket: NotifySocket
    private let process: RunningProgram
    private let stores: [StoreFile]
    private let ledger: StoreFile
    private var generator: SeededGenerator
    /// The rows of each store that must stay.
    private var live: [Int64]

    init(_ program: String, stores count: Int, using generator: SeededGenerator, in directory: String) throws
    {
        self.directory = directory
        self.generator = generator
        live = Array(repeating: 0, count: count)
        stores = try (0..<count).map { try StoreFile("\(directory)/\($0).sqlite") }
        var configuration = "metrics_file = \"\(directory)/pruned.prom\"\n"
        for (number, store) in stores.enumerated() {
            try store.execute(
                """
                PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
                CREATE TABLE item (id INTEGER PRIMARY KEY, received INTEGER NOT NULL, body TEXT);
                CREATE INDEX item_received ON item (received)
                """)
            configuration += """
                [store.s\(number)]
                path = "\(directory)/\(number).sqlite"
                [rule.old\(number)]
                store = "s\(number)"
                table = "item"
                age_column = "received"
                keep = "30d"
                every = "1s"
                guard = { max_share = 1 }

                """
        }
        let (file, state) = (directory + "/pruned.toml", directory + "/state")
        try Data(configuration.utf8).write(to: URL(filePath: file))
        try FileManager.default.createDirectory(atPath: state, withIntermediateDirectories: false)
        socket = try NotifySocket()
        process = try Program(
            tried: [program, "--config", file, "--state-dir", state],
            environment: ["NOTIFY_SOCKET": socket.path], in: directory
        ).start()
        try Self.hear(on: socket, from: process) { $0.contains("READY=1") }
        ledger = try StoreFile(state + "/ledger/state.sqlite")
    }

    private static func hear(
        on socket: NotifySocket, from process: RunningProgram, _ isMeant: (String) -> Bool
    ) throws {
        repeat {
            guard let text = try socket.receive(seconds: 60) else {
                throw ServiceIsSilent(errors: String(process.errors.suffix(500)))
            }
            if isMeant(text) { return }
        } while true
    }

    /// Asks for runs of all rules, one after the other, until there were so many.
    func run(until runs: Int) throws {
        while try ruleRuns() < runs {
            for _ in 0..<max(1, stores.count / 10) {
                try fill(Int.random(in: 0..<stores.count, using: &generator))
            }
            try runOnce()
        }
    }

    private func runOnce() throws {
        // What it has said of runs that were due comes first.
        while try socket.receive(seconds: 0) != nil {}
        process.send(SIGUSR1)
        try Self.hear(on: socket, from: process) { $0.hasPrefix("STATUS=Idle") }
    }

    /// Most rows that an app adds here have expired. Live rows become few again: a store that grows takes more memory.
    private func fill(_ store: Int) throws {
        let expired = Int.random(in: 1...40, using: &generator)
        try stores[store].execute(
            """
            BEGIN IMMEDIATE;
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(expired))
                INSERT INTO item (received, body) SELECT unixepoch() - 86400 * (31 + i), 'expired' FROM n;
            INSERT INTO item (received, body) VALUES (unixepoch(), 'live'), (unixepoch() - 86400, 'live');
            DELETE FROM item WHERE body = 'live' AND \(live[store]) >= 200;
            COMMIT
            """)
        live[store] = live[store] >= 200 ? 0 : live[store] + 2
    }

    func sample() throws -> ServiceFigures {
        let own = "/proc/\(process.processID)"
        let status = try String(contentsOfFile: own + "/status", encoding: .utf8)
        func number(_ name: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        }
        return ServiceFigures(
            runs: try ruleRuns(), memory: number("VmRSS"),
            descriptors: try FileManager.default.contentsOfDirectory(atPath: own + "/fd").count,
            threads: number("Threads"), logged: process.errors.utf8.count,
            ledger: Int(
                try ledger.integers("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")[
                    0]),
            historyEntries: Int(try ledger.integers("SELECT count(*) FROM history")[0]))
    }

    private func ruleRuns() throws -> Int {
        let metrics = (try? String(contentsOfFile: directory + "/pruned.prom", encoding: .utf8)) ?? ""
        return metrics.split(separator: "\n").filter { $0.hasPrefix("pruned_rule_runs_total{") }
            .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
    }

    /// Stops it after some last runs. What is wrong.
    func end() throws -> [String] {
        // The first may be the end of a run that was due.
        for _ in 0..<3 { try runOnce() }
        process.send(SIGTERM)
        let ended = try process.end()
        var findings = ended.status == 0 ? [] : ["it ended oddly: \(ended)"]
        for (number, store) in stores.enumerated() {
            let counts = try store.rows("SELECT count(*), sum(body = 'expired') FROM item")[0]
            if counts != ["\(live[number])", "0"], counts != ["0", ""] || live[number] != 0 {
                findings.append("store \(number) has \(counts), and \(live[number]) live rows")
            }
        }
        return findings
    }
}

/// The service has said nothing for a minute.
struct ServiceIsSilent: Error, CustomStringConvertible {
    let errors: String
    var description: String { "the service does not go on: \(errors)" }
}
