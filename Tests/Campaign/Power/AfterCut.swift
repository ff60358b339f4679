import Foundation
import TestSupport

/// Looks at what a cut has left, with the file system mounted again, and at what pruned makes of it.
struct AfterCut {
    private let pruned: [String]
    private let directory: String
    private let recording: Recording
    /// What was known before the cut.
    private let known: [Mark]
    private var generator: SeededGenerator
    private var findings: [String] = []

    init(
        _ cut: PowerCut, of recording: Recording, with pruned: [String], in directory: String,
        by generator: SeededGenerator
    ) {
        (self.pruned, self.directory, self.recording) = (pruned, directory, recording)
        (known, self.generator) = (recording.marks(before: cut.place), generator)
    }

    /// What is wrong.
    mutating func look() throws -> [String] {
        // Either the app is the first to open the store, or pruned.
        if Bool.random(using: &generator) { try inspect(after: "the cut") }
        let trial = try tryConfirmation()
        let next = try spawn(pruned + ["--run-now", "--json"], in: directory, seconds: 900)
        if !trial.statuses.contains(next.status) { findings.append("the next run: \(next)") }
        let model = try inspect(after: "the next run")
        try judge(trial)
        try expectNothingLeft(of: model)
        try restoreAll()
        let after = try inspect(after: "all restores")
        let missing = try after.old.subtracting(items().keys)
        if !missing.isEmpty {
            findings.append("\(missing.count) archived rows do not come back, such as \(missing.min() ?? 0)")
        }
        let copies = try PowerStore.copies()
        if copies != PowerStore.copiesAtFirst {
            findings.append("after all restores there are \(copies.values.reduce(0, +)) rows without a key")
        }
        return findings
    }

    private func items() throws -> [Int64: String] {
        Dictionary(
            uniqueKeysWithValues: try StoreFile(PowerStore.path).rows("SELECT id, body FROM item").map {
                (Int64($0[0]) ?? -1, $0[1])
            })
    }

    /// Looks at all files. Returns what must be in the store or the archive.
    @discardableResult
    private mutating func inspect(after event: String) throws -> PowerModel {
        for path in [PowerStore.path, PowerStore.archive, PowerStore.ledger]
        where FileManager.default.fileExists(atPath: path) {
            let health = Result { try StoreFile(path).texts("PRAGMA integrity_check") }
            if (try? health.get()) != ["ok"] {
                findings.append("after \(event) \(path) is damaged: \(health)")
            }
        }
        for (place, file) in [("ledger", "state.sqlite"), ("archive/app", "archive.sqlite")] {
            let path = PowerStore.state + "/" + place
            for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
            where !name.hasPrefix(file) || name.contains("damaged") {
                findings.append("after \(event) there is \(place)/\(name)")
            }
        }
        let store = try StoreFile(PowerStore.path)
        let acked = try store.integers("SELECT number FROM acked ORDER BY number")
        let promised =
            known.compactMap { if case .committed(let one) = $0 { one.number } else { nil } }.last ?? 0
        if acked.count < promised
            || acked != Array(1...Int64(max(1, acked.count))).prefix(acked.count).map({ $0 })
        {
            findings.append(
                "after \(event) \(promised) transactions were acknowledged, there are \(acked.count)")
        }
        var model = PowerModel()
        for case .committed(let transaction) in recording.marks() where transaction.number <= acked.count {
            model.apply(transaction)
        }
        let items = try items()
        for (row, text) in model.live where items[row] != text {
            findings.append("after \(event) the live row \(row) is \(items[row] ?? "not there")")
            break
        }
        let unknown = items.filter { row, text in
            model.live[row] != text
                && !((model.old.contains(row) || model.gone.contains(row))
                    && text == PowerModel.text(of: row))
        }
        if let (row, text) = unknown.first {
            findings.append("after \(event) there are \(unknown.count) unknown rows, such as \(row): \(text)")
        }
        let copies = try PowerStore.copies()
        if copies.contains(where: { $1 > PowerStore.copiesAtFirst[$0] ?? 0 }) {
            findings.append("after \(event) there are more rows without a key than ever")
        }
        let live = try store.integers("SELECT count(*) FROM event WHERE at > 1700000000")
        if live != [PowerModel.liveRows] { findings.append("after \(event) \(live) events are live") }
        let bigLive = try store.integers("SELECT count(*) FROM big WHERE id <= \(PowerStore.bigLive)")
        if bigLive != [Int64(PowerStore.bigLive)] {
            findings.append("after \(event) \(bigLive) rows of big are live")
        }
        return model
    }

    /// No confirmation counts twice, and none is forgotten.
    private struct Trial {
        /// What the next run may end with.
        let statuses: Set<Int32>
        /// How many expired rows `big` must have after it; nil when that is open.
        let left: Int64?
    }

    private mutating func tryConfirmation() throws -> Trial {
        let expired = "id > \(PowerStore.bigLive)"
        let store = try StoreFile(PowerStore.path)
        let old = try store.integers("SELECT count(*) FROM big WHERE \(expired)")[0]
        let last = known.last { [.confirmed, .running].contains($0) }
        if last == .confirmed { return Trial(statuses: [0], left: 0) }
        guard Bool.random(using: &generator) else { return Trial(statuses: [0, 3], left: nil) }
        let wasUsed = known.contains(.done) || old < PowerStore.bigOld
        // As many as were confirmed once, but others; or more than ever.
        if wasUsed { try store.execute("DELETE FROM big WHERE \(expired)") }
        let more = wasUsed ? PowerStore.bigOld : PowerStore.bigOld * 2
        try store.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(more))
            INSERT INTO big SELECT 100000 + i, 1600000000 FROM n
            """)
        return Trial(statuses: [3], left: Int64(more) + (wasUsed ? 0 : old))
    }

    private mutating func judge(_ trial: Trial) throws {
        guard let left = trial.left else { return }
        let found = try StoreFile(PowerStore.path).integers(
            "SELECT count(*) FROM big WHERE id > \(PowerStore.bigLive)")
        if found != [left] { findings.append("the next run left \(found) rows of big, not \(left)") }
    }

    /// The next run has done all, but for what a restore put back.
    private mutating func expectNothingLeft(of model: PowerModel) throws {
        let store = try StoreFile(PowerStore.path)
        let events = try store.integers("SELECT count(*) FROM event WHERE at < 1700000000")
        let plain = try PowerStore.copies().values.reduce(0, +)
        if plain > 0, !known.contains(.restoring) {
            findings.append("the next run left \(plain) rows without a key")
        }
        if events != [0] { findings.append("the next run left \(events) events") }
        let old = Set(try store.integers("SELECT id FROM item WHERE at < 1700000000"))
        if !old.isEmpty, !known.contains(.restoring) {
            findings.append("the next run left \(old.count) items")
        }
        for case .restored(let rows) in known {
            let missing = model.old.intersection(rows).subtracting(old)
            if !missing.isEmpty {
                findings.append("\(missing.count) rows with a lease are gone, such as \(missing.min() ?? 0)")
            }
        }
    }

    private mutating func restoreAll() throws {
        guard FileManager.default.fileExists(atPath: PowerStore.archive) else { return }
        for run in try archivedRuns(with: pruned, in: directory) {
            let ended = try spawn(pruned + ["restore", run, "--json"], in: directory, seconds: 900)
            // 1: a row that was archived became a new one before it was deleted.
            if ![0, 1].contains(ended.status) { findings.append("the restore of all: \(ended)") }
        }
    }
}
