import Archive
import Foundation
import Pruning
import Retention
import SQLitePruning
import TestSupport

/// An app's file, the store `s` of a policy, and an archive of what is deleted from it.
struct ArchivedStore {
    let app: TemporaryStore
    private let directory: TemporaryDirectory
    private let limit: ByteCount

    /// Makes the file with `sql`. The archive may have so many bytes.
    init(_ sql: String, limit: Int64 = 1_000_000_000) throws {
        self.limit = ByteCount(limit)
        app = try TemporaryStore(sql)
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: archiveDirectory, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o750])
    }

    var archiveDirectory: String { directory.path + "/archive/s" }

    var archivePath: String { archiveDirectory + "/archive.sqlite" }

    var archive: ArchiveFile {
        ArchiveFile(stateDirectory: directory.path, of: "s", limit: ArchiveLimit(limit))
    }

    var store: SQLiteStore { store(named: "s", at: app.path) }

    /// A store with the same archive.
    func store(named name: Name, at path: String) -> SQLiteStore {
        SQLiteStore(
            StoreDefinition(name: name, path: path), path: path, holder: "a test", archive: archive,
            monotonic: systemMonotonic)
    }

    /// What a run reports of a store of the same name at `path`, which has an archive of its own, while this one is that of
    /// a store that the policy no longer has.
    func report(
        _ rules: [RetentionRule], onAnotherAt path: String, failure: StoreError? = nil
    ) -> RuleReport {
        let gone = directory.path + "/archive/was"
        rename(archiveDirectory, gone)
        defer { rename(gone, archiveDirectory) }
        let archive = ArchiveFile(
            stateDirectory: directory.path, of: "s", limit: ArchiveLimit(limit),
            others: OtherArchives(["was"], failure: failure, stores: ["s", "other"]))
        let store = SQLiteStore(
            StoreDefinition(name: "s", path: path), path: path, holder: "a test", archive: archive,
            monotonic: systemMonotonic)
        return PruneRun.report(rules, on: [store]).rules[0]
    }

    /// One run of `rules`.
    func prune(
        _ rules: RetentionRule..., at start: Date = runStart, dryRun: Bool = false,
        memory: GuardMemory = .none, _ emit: @escaping @Sendable (PruneEvent) -> Void = { _ in }
    ) -> PruneReport {
        PruneRun.report(rules, on: [store], at: start, dryRun: dryRun, memory: memory, emit)
    }

    /// What a run of `rule` deletes, in one batch. How many rows went.
    func pruneInOneBatch(_ rule: RetentionRule) throws -> Int64 {
        var task = PruneTask(rule, start: runStart, in: .gmt)
        var generator = SystemRandomNumberGenerator()
        task.runID = RunID(start: runStart, using: &generator)
        let worker = try store.openWorker(freeControl())
        defer { worker.close() }
        _ = try worker.begin(task, accessPath: nil)
        return try worker.deleteBatch(rows: 1_000).deleted
    }

    /// All that the archive has, put back; what was stays for 30 days from ``runStart``.
    func restore(dryRun: Bool = false) throws -> [RestoreReport] {
        try archive.parts(freeControl()).map { part in
            RestoreRun(
                part, into: store, leaseEnd: runStart.addingTimeInterval(30 * 86_400),
                settings: RunSettings(
                    dryRun: dryRun, patience: .milliseconds(200), monotonic: systemMonotonic),
                control: freeControl()
            ).execute()
        }
    }

    /// The rows of the archive that are not back yet.
    func archivedRows() throws -> Int64 {
        try archive.parts(freeControl()).map(\.rows).reduce(0, +)
    }
}

extension RetentionRule {
    /// Rows of `table` go into the archive 30 days after `at`.
    static func archiving(
        _ table: String = "t", name: Name = "old", keptBy: ColumnReference? = nil, keepLast: Int64? = nil,
        holdLimits: HoldLimits = .noneAtAll
    ) -> RetentionRule {
        RetentionRule(
            name: name, store: "s", table: table, expiry: .age(column: "at", keep: Span(30, .day)),
            keptBy: keptBy.map { [$0] } ?? [], keepLast: keepLast, holdLimits: holdLimits,
            archiveKeep: Span(30, .day))
    }
}
