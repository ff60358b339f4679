import Foundation
import TestSupport

/// Writes configurations, right and wrong ones, runs each on a real store, and compares what has gone with what the text
/// says.
struct RandomConfigurations: Part {
    static let name = "configuration"
    static let aim = Aim(points: 100_000, unit: "mutants")
    static let sliceSeconds: Double? = 8
    private static let mutantsPerCase = 10

    private let setting: Setting
    private let now = Int(Date().timeIntervalSince1970)
    private let store: [UInt8]
    private let ledgers: [LedgerTemplate]

    init(_ setting: Setting) throws {
        self.setting = setting
        let path = setting.work + "/configured.sqlite"
        for table in ["items", "log"] {
            try StoreFile(path).execute(
                """
                CREATE TABLE \(table) (
                    id INTEGER PRIMARY KEY, at INTEGER, ms INTEGER, iso TEXT, expires INTEGER, read INTEGER,
                    starred INTEGER, feed INTEGER, note TEXT
                );
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40), t AS (
                    SELECT i, \(now) - i * 864000 + 388800 AS at FROM n)
                INSERT INTO \(table)
                SELECT i, at, at * 1000, strftime('%Y-%m-%dT%H:%M:%SZ', at, 'unixepoch'), at, i % 2, i % 5 = 0, i % 4,
                iif(i % 3 = 0, NULL, iif(i % 7 = 0, 'keep # it', 'note')) FROM t;
                """)
        }
        try StoreFile(path).execute(
            "CREATE TABLE bookmarks (item INTEGER PRIMARY KEY); INSERT INTO bookmarks VALUES (11), (22), (33)"
        )
        store = StoreTemplate.bytes(path)
        ledgers = try LedgerTemplate.Confirmation.allCases.map { [now] in
            try LedgerTemplate($0, with: setting.pruned, in: setting.work + "/template", now: now)
        }
    }

    func attempt(_ number: Int, in directory: String) throws -> Attempt {
        try number % 5 == 4 ? attemptLedger(number, in: directory) : attemptTexts(number, in: directory)
    }

    private func attemptLedger(_ number: Int, in directory: String) throws -> Attempt {
        var generator = setting.generator(number)
        let planted = PlantedSQL(using: &generator)
        let template = ledgers[Int.random(in: 0..<ledgers.count, using: &generator)]
        var mutant = try LedgerMutant(
            template, pruned: setting.pruned, in: directory + "/state", planted: planted, using: generator)
        return try Attempt(findings: mutant.findings())
    }

    private func attemptTexts(_ number: Int, in directory: String) throws -> Attempt {
        var attempt = Attempt(points: Self.mutantsPerCase)
        var generator = setting.generator(number)
        try FileManager.default.createDirectory(
            atPath: directory + "/conf.d", withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o755])
        for place in 0..<Self.mutantsPerCase {
            let policy = RandomPolicy(using: SeededGenerator(seed: generator.next()))
            var mutation = TextMutation(generator: SeededGenerator(seed: generator.next()))
            let way = Int.random(in: 0..<3, using: &generator)
            let files = [
                way == 1 ? mutation.mutate(policy.main) : Array(policy.main.utf8),
                way == 2 ? mutation.mutate(policy.dropIn) : Array(policy.dropIn.utf8),
            ]
            attempt.findings += try findings(files, isRight: way == 0 && !policy.isWrong, in: directory).map {
                "\(place): \($0)\n\(String(decoding: Array(files.joined(separator: Array("--- drop-in\n".utf8))), as: UTF8.self))"
            }
        }
        return attempt
    }

    private func findings(_ files: [[UInt8]], isRight: Bool, in directory: String) throws -> [String] {
        for (name, bytes) in zip(["/pruned.toml", "/conf.d/50-more.toml"], files) {
            try Data(bytes).write(to: URL(filePath: directory + name))
        }
        try Data(store).write(to: URL(filePath: directory + "/app.sqlite"))
        let ended = try spawn(
            [
                setting.pruned, "--run-now", "--json", "--config", directory + "/pruned.toml", "--state-dir",
                directory,
            ], in: directory)
        guard [0, 1, 3, 74, 75, 78].contains(ended.status) else { return ["\(ended)"] }
        let gone = try gone(in: directory)
        let all = gone.values.reduce(0) { $0 + $1.count }
        if ended.status == 78 {
            if all > 0 { return ["refused, and \(gone) have gone: \(ended)"] }
            let lines = ended.errors.split(separator: "\n")
            if lines.count < 2 || !ended.errors.contains(directory) {
                return ["refused without place or hint: \(ended)"]
            }
            return isRight ? ["refused, and it is right: \(ended)"] : []
        }
        do {
            let meaning = try PolicyMeaning(files, now: now)
            if meaning.isPartlyUnknown { return [] }
            // A right policy may take the newest rows of its small tables, and is held for that alone.
            let isHeld = ended.status == 3 && ended.output.contains(", the newest from ")
            if isRight, ended.status != 0, !isHeld { return ["it is right: \(ended)"] }
            return try difference(of: gone, from: meaning, isDone: ended.status == 0).map {
                ["\($0): \(ended)"]
            } ?? []
        } catch let refused as PolicyMeaning.Refused {
            // Some errors show up only with the store, and fail their rule.
            return ended.status == 0 || all > 0 ? ["not refused (\(refused.why)): \(ended)"] : []
        }
    }

    private func gone(in directory: String) throws -> [String: Set<Int64>] {
        let left = try StoreFile(directory + "/app.sqlite")
        var gone: [String: Set<Int64>] = [:]
        for (table, key, last) in [("items", "id", Int64(40)), ("log", "id", 40), ("bookmarks", "item", 0)] {
            let all = table == "bookmarks" ? [11, 22, 33] : Array(1...last)
            gone[table] = Set(all).subtracting(try left.integers("SELECT \(key) FROM \(table)"))
        }
        return gone
    }

    /// Which rows have gone that the text does not say, or have not.
    private func difference(
        of gone: [String: Set<Int64>], from meaning: PolicyMeaning, isDone: Bool
    ) throws -> String? {
        let original = try StoreFile(":memory:")
        try original.execute("ATTACH '\(setting.work)/configured.sqlite' AS original")
        for table in gone.keys.sorted() {
            var (must, may): (Set<Int64>, Set<Int64>) = ([], [])
            for rule in meaning.rules where rule.table.lowercased() == table {
                let select = "SELECT id FROM \(table) WHERE "
                may.formUnion((try? original.integers(select + rule.mayGo)) ?? [])
                must.formUnion((try? original.integers(select + rule.goes)) ?? [])
            }
            let gone = gone[table] ?? []
            if !gone.isSubset(of: may) { return "of \(table) have gone \(gone.subtracting(may).sorted())" }
            if isDone, !must.isSubset(of: gone) {
                return "of \(table) are left \(must.subtracting(gone).sorted())"
            }
        }
        return nil
    }
}
