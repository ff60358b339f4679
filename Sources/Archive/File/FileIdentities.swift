import FoundationEssentials
import Pruning
import Retention
import SQLite

extension ArchiveFile {
    /// See ``RowArchive``.
    package func openIdentities(
        of source: IdentitySource, _ control: RunControl
    ) throws(StoreError) -> (any ArchivedIdentities)? {
        guard place.exists else { return nil }
        let writer = try FileWriter(place, control)
        do throws(StoreError) {
            if let found = try FileIdentities(of: source, in: writer, path: path) { return found }
        } catch {
            writer.close()
            throw error
        }
        writer.close()
        return nil
    }
}

/// The identities of the rows of one rule in the archive; see ``IdentityTable``.
final class FileIdentities: ArchivedIdentities {
    private let writer: FileWriter
    private let path: String
    private let values: [String: DatabaseValue]
    private let batches: [Batch]
    let lastLook: LastLook?

    private struct Batch {
        let id: Int64
        let run: String
        /// Whether all rows of the batch were certainly deleted: their run ended, or a look has come after it.
        let isSure: Bool
    }

    /// Identities with which some were taken out.
    private struct Change {
        let batch: Batch
        let hashes: [UInt8]
    }

    /// A transaction changes at most so many bytes.
    private static let mostBytes = 256 << 10

    private static let isOfSource =
        "rule = :rule AND store = :store AND \"table\" = lower(:table) AND kind = :kind"

    /// Nil if there are none.
    init?(of source: IdentitySource, in writer: FileWriter, path: String) throws(StoreError) {
        (self.writer, self.path) = (writer, path)
        let values: [String: DatabaseValue] = [
            "rule": .text(source.rule.description), "store": .text(source.store.description),
            "table": .text(source.table), "kind": .int64(Int64(bitPattern: source.kind)),
        ]
        self.values = values
        (batches, lastLook) = try writer.read("look for archived identities") { db in
            let batches = try db.rows(
                """
                SELECT batch, run_id, EXISTS (SELECT 1 FROM deletion AS d WHERE d.run_id = i.run_id AND d.rule = i.rule)
                    OR EXISTS (SELECT 1 FROM looked AS l WHERE l.run_id = i.run_id AND l.rule = i.rule)
                FROM identity AS i WHERE \(Self.isOfSource) ORDER BY batch
                """, values
            ).map { Batch(id: $0[0].integer, run: $0[1].string, isSure: $0[2].integer != 0) }
            let look = try db.row(
                "SELECT began, last_row, last_identity FROM look WHERE \(Self.isOfSource) AND began IS NOT NULL",
                values)
            return (batches, look.map(Self.look))
        }
        if batches.isEmpty { return nil }
    }

    private static func look(_ row: Row) -> LastLook {
        LastLook(
            at: Date(timeIntervalSince1970: Double(row[0].integer)),
            row: row[1] == .null ? nil : row[1].integer,
            identity: row[2] == .null ? nil : UInt64(bitPattern: row[2].integer))
    }

    func take(_ candidates: [UInt64]) throws(StoreError) {
        var areFound = Array(repeating: false, count: candidates.count)
        var (changes, found): ([Change], Int64) = ([], 0)
        for batch in batches {
            guard var hashes = try hashes(of: batch) else { continue }
            var isChanged = false
            for start in stride(from: 0, to: hashes.count, by: IdentityTable.width) {
                guard let place = candidates.firstIndex(ofSorted: Self.hash(in: hashes, at: start)) else {
                    continue
                }
                isChanged = true
                for byte in start..<start + IdentityTable.width { hashes[byte] = 0 }
                if batch.isSure, !areFound[place] { (areFound[place], found) = (true, found + 1) }
            }
            guard isChanged else { continue }
            changes.append(Change(batch: batch, hashes: hashes))
            if changes.reduce(0, { $0 + $1.hashes.count }) >= Self.mostBytes {
                try write(changes, found)
                (changes, found) = ([], 0)
            }
        }
        if !changes.isEmpty { try write(changes, found) }
    }

    private static func hash(in hashes: [UInt8], at start: Int) -> UInt64 {
        hashes.withUnsafeBytes {
            UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: start, as: UInt64.self))
        }
    }

    /// Nil if the batch has expired meanwhile.
    private func hashes(of batch: Batch) throws(StoreError) -> [UInt8]? {
        let row = try writer.read("read archived identities") { db in
            try db.row(
                "SELECT hashes, checksum FROM identity WHERE batch = :batch AND run_id = :run",
                ["batch": .int64(batch.id), "run": .text(batch.run)])
        }
        guard let row else { return nil }
        guard case .blob(let hashes) = row[0], IdentityTable.isWhole(hashes, row[1]) else {
            throw StoreError(
                .damaged, operation: "read the identities of batch \(batch.id)", place: path,
                cause: "their checksum does not match")
        }
        return hashes
    }

    private func write(_ changes: [Change], _ found: Int64) throws(StoreError) {
        try writer.write("take identities out of the archive") { [values] db in
            for change in changes {
                try IdentityTable.set(change.hashes, of: change.batch.id, in: change.batch.run, db)
            }
            try db.execute(
                """
                INSERT INTO look (rule, store, "table", kind, found) VALUES (:rule, :store, lower(:table), :kind, :found)
                ON CONFLICT DO UPDATE SET found = found + excluded.found
                """, values.merging(["found": .int64(found)]) { $1 })
        }
        for change in changes { writer.noteWritten(change.hashes.count) }
        try writer.maintain()
    }

    func end(_ look: LastLook) throws(StoreError) -> Int64 {
        let killed = Set(batches.filter { !$0.isSure }.map(\.run))
        return try writer.write("remember what came back") { [values] db in
            let found = try db.row("SELECT found FROM look WHERE \(Self.isOfSource)", values)
            try db.execute(
                """
                REPLACE INTO look (rule, store, "table", kind, began, last_row, last_identity, found)
                VALUES (:rule, :store, lower(:table), :kind, :began, :row, :identity, 0)
                """,
                values.merging([
                    "began": .int64(Int64(look.date.timeIntervalSince1970.rounded(.down))),
                    "row": look.row.map { .int64($0) } ?? .null,
                    "identity": look.identity.map { .int64(Int64(bitPattern: $0)) } ?? .null,
                ]) { $1 })
            for run in killed {
                try db.execute(
                    "INSERT INTO looked VALUES (:run, :rule) ON CONFLICT DO NOTHING",
                    values.merging(["run": .text(run)]) { $1 })
            }
            try db.execute(
                """
                DELETE FROM looked WHERE NOT EXISTS
                    (SELECT 1 FROM batch WHERE batch.run_id = looked.run_id AND batch.rule = looked.rule)
                """)
            return found?[0].integer ?? 0
        }
    }

    func close() { writer.close() }
}

extension [UInt64] {
    /// The index of `number` in the array, which is in ascending order; nil if it is not there, or stands for nothing.
    fileprivate func firstIndex(ofSorted number: UInt64) -> Int? {
        guard number != RowIdentity.none else { return nil }
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] == number ? low : nil
    }
}
