import Archive
import Pruning
import Retention

/// Gives the rows that a batch has changed to the archive, before the batch commits.
struct Archiving {
    let columns: ArchivedColumns
    let pending: PendingRows
    private let head: ArchivedRows

    init(_ columns: ArchivedColumns, of bound: BoundRule, pending: PendingRows) {
        (self.columns, self.pending) = (columns, pending)
        var head = ArchivedRows(columns: columns.names, action: bound.rule.action, encoding: .postgresql)
        if bound.tombstones != nil { head.tombstone = bound.rule.tombstone }
        head.witness = columns.witness
        head.identityKind = columns.identity?.source.kind
        self.head = head
    }

    /// The state of marked rows before they were marked: their key, then what is archived.
    typealias OldRows = QueryResult

    /// Archives the rows that a statement changed. In a row of `changed`, the values that belong to the archive begin at
    /// `start`, and the one at `isNewTombstone` says whether its tombstone was added with the deletion.
    func archive(
        _ changed: QueryResult, from start: Int, isNewTombstone: Int, before old: OldRows?,
        of task: PruneTask
    ) throws {
        var rows = head
        rows.count = Int64(changed.count)
        let keyWidth = columns.key.count
        let places = try old.map { try Self.places(in: $0, keyWidth) }
        for row in 0..<changed.count {
            var (source, line, column) = (changed, row, start)
            if let old, let places {
                guard let place = places[Self.key(in: changed, row, from: start, keyWidth)] else {
                    throw Self.changedKey(task)
                }
                (source, line, column) = (old, place, keyWidth)
            }
            for index in columns.names.indices {
                TextEncoding.append(source.bytes(line, column + index), to: &rows.bytes)
            }
            if !head.witness.isEmpty {
                TextEncoding.append(source.bytes(line, column + columns.names.count), to: &rows.bytes)
            }
            if head.tombstone != nil {
                TextEncoding.append(
                    Array((changed.isTrue(row, isNewTombstone) ? "1" : "0").utf8), to: &rows.bytes)
            }
            if columns.identity != nil {
                rows.identities.append(
                    IdentityColumns.number(
                        source, line, column + columns.names.count + (head.witness.isEmpty ? 0 : 1)))
            }
            guard row == 0 || rows.bytes.count <= Self.mostBytes else {
                throw StoreError(
                    .tooLarge, operation: "archive rows of \(task.rule.table)",
                    place: task.rule.store.description, cause: "the rows of a batch are too large together")
            }
        }
        try pending.archive(rows, of: task)
    }

    /// Limits the rows of a batch, which are in memory more than once. Usual rows stay far below it.
    private static let mostBytes = 16 << 20

    private static func places(in rows: QueryResult, _ width: Int) throws -> [[UInt8]: Int] {
        var places: [[UInt8]: Int] = [:]
        for row in 0..<rows.count { places[key(in: rows, row, from: 0, width)] = row }
        return places
    }

    private static func key(in rows: QueryResult, _ row: Int, from start: Int, _ width: Int) -> [UInt8] {
        var key: [UInt8] = []
        for column in start..<start + width { TextEncoding.append(rows.bytes(row, column), to: &key) }
        return key
    }

    private static func changedKey(_ task: PruneTask) -> StoreError {
        StoreError(
            .unsafe, operation: "archive rows of \(task.rule.table)", place: task.rule.store.description,
            cause: "the key of a row changed as it was marked",
            hint: "look for triggers on \(task.rule.table)")
    }
}
