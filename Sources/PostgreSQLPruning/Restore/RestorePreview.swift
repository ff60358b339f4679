import Pruning

/// What a restore would put back, and what it would not. It only reads.
struct RestorePreview {
    let part: ArchivedPart
    let archive: any RowArchive
    let view: PostgreSQLView
    let control: RunControl

    func take() throws(StoreError) -> RestoredBatch {
        var restored: Int64 = 0
        var skipped: [RestoreSkip: Int64] = [:]
        for (id, rows) in try archive.batches(of: part, control) {
            guard let progress = try progress(id) else {
                skipped[.damaged, default: 0] += rows
                continue
            }
            let refused = try refused(progress)
            skipped.merge(refused, uniquingKeysWith: +)
            restored += rows - refused.values.reduce(0, +)
        }
        return RestoredBatch(
            restored: restored, skipped: skipped,
            work: BatchWork(visited: 0, changed: 0, lockTime: .zero, isAlone: false, isLast: true))
    }

    /// Nil if the batch is damaged.
    private func progress(_ id: Int64) throws(StoreError) -> RestoreProgress? {
        do throws(StoreError) {
            guard let batch = try archive.batch(id, of: part, control) else { return nil }
            try batch.check(.postgresql, of: part, place: view.access.address.place)
            return try? RestoreProgress(batch)
        } catch  where error.kind == .damaged {
            return nil
        }
    }

    /// How many rows of the batch would not be put back, by reason.
    private func refused(_ progress: RestoreProgress) throws(StoreError) -> [RestoreSkip: Int64] {
        try view.read("look for rows of \(part.table)") { connection in
            do {
                let target = try view.access.restoreTarget(part, for: progress.batch.rows, in: connection)
                let mayBeThere = !progress.batch.isDeleted || progress.batch.isInReturn
                let keys = try target.conflicts(in: connection)
                var refused: [RestoreSkip: Int64] = [:]
                for row in progress.rows {
                    let obstacle = try target.obstacle(
                        to: row, keys, mayBeThere: mayBeThere, in: connection)
                    if let obstacle { refused[obstacle, default: 0] += 1 }
                }
                return refused
            } catch let gone as RestoreTarget.Gone {
                return [gone.reason: progress.batch.rows.count]
            }
        }
    }
}

extension RestoreTarget {
    /// A question whether a row conflicts with an existing one, and the positions of its values.
    struct Conflict {
        let sql: String
        let sources: [Int]
    }

    /// One for each unique index on columns alone. Partial indexes are left out.
    fileprivate func conflicts(in connection: Connection) throws -> [Conflict] {
        let indexes = try connection.query(
            """
            SELECT array_to_json(array_agg(coalesce(a.attname, '') ORDER BY k.place)) FROM pg_index i \
            CROSS JOIN unnest(i.indkey::int2[]) WITH ORDINALITY AS k (number, place) \
            LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number \
            WHERE i.indrelid = $1 AND i.indisunique AND i.indisvalid AND i.indpred IS NULL \
            AND k.place <= i.indnkeyatts GROUP BY i.indexrelid
            """, ["\(relation.oid)"]
        ).rows.map { JSONNames.parse($0[0] ?? "[]") }
        let names = columns.map(\.name)
        return indexes.compactMap { index in
            let sources = index.compactMap { names.firstIndex(of: $0) }
            guard sources.count == index.count else { return nil }
            let terms = index.enumerated().map { "\(relation.column($1)) = $\($0 + 1)" }
            return Conflict(
                sql: """
                    SELECT 1 FROM \(relation.sql) AS \(relation.alias) WHERE \(terms.joined(separator: " AND ")) LIMIT 1
                    """, sources: sources)
        }
    }

    /// Why a row would not be put back; nil if nothing of the kind is found.
    fileprivate func obstacle(
        to row: [RowCoding.Value], _ conflicts: [Conflict], mayBeThere: Bool, in connection: Connection
    ) throws -> RestoreSkip? {
        if let marks {
            let found = try connection.query(marks.question, bytes: marks.key.map { row[$0] })
            guard found.count > 0 else { return .gone }
            return found.isTrue(0, 0) ? nil : .unmarked
        }
        for conflict in conflicts
        where try connection.query(conflict.sql, bytes: conflict.sources.map { row[$0] }).count > 0 {
            return .exists
        }
        guard isKeyless, mayBeThere else { return nil }
        let question = equals(of: row[..<columns.count])
        return (try connection.query(question.sql, bytes: question.values).integer(0, 0) ?? 0) > 0
            ? .exists : nil
    }
}
