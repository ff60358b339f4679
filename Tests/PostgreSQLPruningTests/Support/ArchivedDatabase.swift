import Archive
import Foundation
import Pruning
import TestSupport
import Retention
import SQLitePruning
import Testing

@testable import PostgreSQLPruning

/// An app's database, the store `s` of a policy, and an archive of what is deleted from it.
struct ArchivedDatabase {
    let app: OwnedDatabase
    private let directory: TemporaryDirectory

    /// Runs `sql` as the tables' owner.
    init(_ sql: String, setup: String = "", on server: PostgreSQLServer? = nil) throws {
        app = try OwnedDatabase(sql, setup: setup, on: server)
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: directory.path + "/ledger", withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o750])
    }

    var archive: ArchiveFile {
        ArchiveFile(stateDirectory: directory.path, of: "s", limit: ArchiveLimit(ByteCount(1_000_000_000)))
    }

    /// The database as a store, at `url` if given.
    func store(archive: (any RowArchive)? = nil, at url: String? = nil) throws -> PostgreSQLStore {
        let url = url ?? app.database.url(user: app.role)
        return PostgreSQLStore(
            StoreDefinition(name: "s", kind: .postgresql(try ConnectionString(url))), url: url,
            holder: "pruned test:1", archive: archive ?? self.archive, monotonic: systemMonotonic)
    }

    /// One run of `rule`.
    func prune(_ rule: RetentionRule, at start: Date = runStart) throws -> PruneReport {
        PruneRun.report([rule], on: [try store()], at: start)
    }

    /// One run whose process is killed when the rows are in the archive, and the batch is not committed.
    func pruneAndDie(_ rule: RetentionRule) throws {
        var task = PruneTask(rule, start: runStart, in: .gmt)
        var generator = SystemRandomNumberGenerator()
        task.runID = RunID(start: runStart, using: &generator)
        let worker = try store(archive: DyingArchive(archive: archive, death: .afterArchiving))
            .openWriter(of: task)
        #expect(throws: StoreError.self) { try worker.deleteBatch(rows: 1_000) }
    }

    /// All that the archive has, put back; what was stays until `end`.
    func restore(
        dryRun: Bool = false, archive: (any RowArchive)? = nil, at url: String? = nil,
        until end: Date = runStart.addingTimeInterval(30 * 86_400)
    ) throws -> [RestoreReport] {
        let store = try store(archive: archive, at: url)
        return try parts().map { part in
            RestoreRun(
                part, into: store, leaseEnd: end,
                settings: RunSettings(
                    dryRun: dryRun, patience: .milliseconds(200), monotonic: systemMonotonic),
                control: RunControl(monotonic: systemMonotonic)
            ).execute()
        }
    }

    /// The same, as often as rows come back that others refer to.
    func restoreInRounds() throws -> [RestoreReport] {
        let store = try store()
        return RestoreRun.execute(
            try parts().map {
                RestoreRun(
                    $0, into: store, leaseEnd: runStart,
                    settings: RunSettings(
                        dryRun: false, patience: .milliseconds(200), monotonic: systemMonotonic),
                    control: RunControl(monotonic: systemMonotonic))
            })
    }

    func parts() throws -> [ArchivedPart] { try archive.parts(RunControl(monotonic: systemMonotonic)) }

    /// The rows of the archive that are not back yet.
    func archivedRows() throws -> Int64 { try parts().map(\.rows).reduce(0, +) }
}

extension PostgreSQLStore {
    fileprivate func openWriter(of task: PruneTask) throws -> any WorkerContext {
        let worker = try openWorker(RunControl(monotonic: systemMonotonic))
        _ = try worker.begin(task, accessPath: nil, tellsRows: false)
        return worker
    }
}

extension RetentionRule {
    /// Rows of `table` go into the archive 30 days after `at`.
    static func archiving(
        _ table: String = "t", action: RowAction = .delete, tombstone: Tombstone? = nil,
        identity: [String] = []
    ) -> RetentionRule {
        RetentionRule(
            name: "old", store: "s", table: table, expiry: .age(column: "at", keep: Span(30, .day)),
            action: action, tombstone: tombstone, identity: identity, holdLimits: .noneAtAll,
            archiveKeep: Span(30, .day))
    }
}

/// An archive after whose use at one place the process is as good as dead: nothing is cleaned up.
struct DyingArchive: RowArchive {
    let archive: ArchiveFile
    let death: Death

    enum Death {
        /// The rows are in the archive, and not deleted.
        case afterArchiving
        /// The rows are back, and still in the archive.
        case beforeSettling
    }

    static let error = StoreError(.inputOutput, operation: "die", place: "here", cause: "killed")

    func openWriter(_ control: RunControl) throws(StoreError) -> any ArchiveWriter {
        let writer = try archive.openWriter(control)
        return death == .afterArchiving ? Writer(writer: writer) : writer
    }

    func leases(of table: String, in store: Name, at date: Date) throws(StoreError) -> Leases {
        try archive.leases(of: table, in: store, at: date)
    }

    func openIdentities(
        of source: IdentitySource, _ control: RunControl
    ) throws(StoreError) -> (any ArchivedIdentities)? { try archive.openIdentities(of: source, control) }

    func batches(
        of part: ArchivedPart, _ control: RunControl
    ) throws(StoreError) -> [(id: Int64, rows: Int64)] { try archive.batches(of: part, control) }

    func batch(
        _ id: Int64, of part: ArchivedPart, _ control: RunControl
    ) throws(StoreError) -> ArchivedBatch? { try archive.batch(id, of: part, control) }

    func openReturn(of part: ArchivedPart, _ control: RunControl) throws(StoreError) -> any ArchiveReturn {
        let opened = try archive.openReturn(of: part, control)
        return death == .beforeSettling ? Return(opened: opened) : opened
    }

    private struct Writer: ArchiveWriter {
        let writer: any ArchiveWriter

        func archive(_ rows: ArchivedRows, of task: PruneTask) throws(StoreError) {
            try writer.archive(rows, of: task)
            throw error
        }

        func checkPlace() throws(StoreError) { try writer.checkPlace() }
        func takeBack() throws(StoreError) {}
        func noteDeleted() throws(StoreError) {}
        func maintain() throws(StoreError) {}
        func close() { writer.close() }
    }

    private struct Return: ArchiveReturn {
        let opened: any ArchiveReturn

        func batch(_ id: Int64) throws(StoreError) -> ArchivedBatch? { try opened.batch(id) }

        func lease(
            _ fingerprints: [UInt64], of batch: Int64, until end: Date, places: Places
        ) throws(StoreError) {
            try opened.lease(fingerprints, of: batch, until: end, places: places)
        }

        func settle(
            _ batch: ArchivedBatch, _ remaining: (rows: [[ArchivedValue]], places: Places),
            back: Set<Int>, until end: Date
        ) throws(StoreError) {
            throw error
        }

        func maintain() throws(StoreError) {}
        func close() { opened.close() }
    }
}
