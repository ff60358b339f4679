import FoundationEssentials
import Retention

/// Has the server plan each statement that a run of a rule can send, before any run sends it.
///
/// To plan a statement, the server resolves its names and types, compares its parameters with what it is given, and looks at
/// the role's rights.
struct StatementCheck {
    let condition: ExpiryCondition
    let connection: Connection

    private var bound: BoundRule { condition.bound }

    /// Throws what the server says of a statement that it refuses, or if a batch would read a whole table.
    func run() throws {
        let archived = try ArchivedColumns(of: bound)
        let leaves = [bound.leaves.first, bound.leaves.count > 1 ? bound.leaves.last : nil].compactMap(\.self)
        for tellsRows in [false, true] {
            let statements = BatchStatements(condition: condition, tellsRows: tellsRows, archived: archived)
            for leaf in leaves {
                for statement in statements.samples(in: leaf).all {
                    _ = try connection.query("EXPLAIN \(statement.sql)", statement.values)
                }
            }
        }
        let counting = TableCensus(condition: condition)
        for sql in [counting.expiredQuestion, counting.fingerprintQuestion] {
            _ = try connection.query("EXPLAIN \(sql)")
        }
        guard !bound.relation.isDistributed else { return }
        let pages = try connection.pages(of: bound.leaves)
        if let largest = pages.indices.max(by: { pages[$0] < pages[$1] }) {
            try PlanCheck(
                statements: BatchStatements(condition: condition, tellsRows: false, archived: archived),
                connection: connection
            ).refuseScans(of: bound.leaves[largest], pages: pages[largest])
        }
    }
}

/// A statement with the values of its parameters.
struct BoundStatement {
    let sql: String
    let values: [String?]
}

extension BatchStatements {
    /// ``locking(in:)`` for a range, with its values.
    func locking(_ range: HeapWalk.Range, of leaf: Relation, atMost rows: Int64) -> BoundStatement {
        BoundStatement(
            sql: locking(in: leaf), values: range.bounds + (locksRowsThatStay ? [] : ["\(rows)"]))
    }

    /// ``change(in:)`` for rows that were locked, with its values.
    func change(_ places: [String], of leaf: Relation, atMost rows: Int64) -> BoundStatement {
        BoundStatement(
            sql: change(in: leaf),
            values: [.arrayLiteral(places)] + (locksRowsThatStay ? ["\(rows)"] : []))
    }

    /// Each statement that a batch on `leaf` can send, as of a batch at the beginning.
    func samples(in leaf: Relation) -> Samples { Samples(statements: self, leaf: leaf) }

    struct Samples {
        let statements: BatchStatements
        let leaf: Relation

        private let range = HeapWalk.Range(leaf: 0, pages: 0..<PageUnit.most)
        private var bound: BoundRule { statements.condition.bound }

        init(statements: BatchStatements, leaf: Relation) {
            (self.statements, self.leaf) = (statements, leaf)
        }

        var deletion: BoundStatement {
            BoundStatement(sql: statements.deletion(from: leaf), values: range.bounds)
        }

        var locking: BoundStatement { statements.locking(range, of: leaf, atMost: 1) }

        /// What is plain locks its rows first, too, once others have locked some of them.
        var all: [BoundStatement] {
            leaf.isDistributed
                ? slices
                : (statements.isPlain ? [deletion] : []) + [locking, remaining] + byTime + oldValues
                    + [statements.change([], of: leaf, atMost: 1), kept] + tombstones
        }

        private var slices: [BoundStatement] {
            guard let time = bound.time else { return [] }
            let range = TimeWalk.Range(
                lower: Date(timeIntervalSince1970: 0), upper: Date(timeIntervalSince1970: 1))
            return [
                statements.oldest(in: range, of: leaf, time),
                statements.deletion(of: range, from: leaf, time),
            ].map { BoundStatement(sql: $0, values: []) }
        }

        private var remaining: BoundStatement {
            BoundStatement(sql: statements.remaining(in: leaf), values: range.bounds)
        }

        private var kept: BoundStatement {
            BoundStatement(sql: statements.kept(in: leaf), values: [.arrayLiteral([])])
        }

        private var byTime: [BoundStatement] {
            guard bound.hasOrderedTimeIndex, let time = bound.time else { return [] }
            let sql =
                statements.isPlain
                ? statements.deletionByTime(from: leaf, time) : statements.lockingByTime(in: leaf, time)
            return [BoundStatement(sql: sql, values: [time.firstText, "1"])]
        }

        private var oldValues: [BoundStatement] {
            statements.oldValues(in: leaf).map { [BoundStatement(sql: $0, values: [.arrayLiteral([])])] }
                ?? []
        }

        private var tombstones: [BoundStatement] {
            [false, true].compactMap { hasNull in
                statements.missingTombstones(hasNull: hasNull).map {
                    BoundStatement(
                        sql: $0, values: (bound.tombstones?.key ?? []).map { _ in .arrayLiteral([]) })
                }
            }
        }
    }
}

extension Connection {
    /// How many pages each of the tables has.
    func pages(of tables: [Relation]) throws -> [Int64] {
        let oids = "{" + tables.map { "\($0.oid)" }.joined(separator: ",") + "}"
        let found = try query(
            """
            SELECT coalesce(pg_relation_size(t.oid::regclass), 0) / current_setting('block_size')::int \
            FROM unnest($1::oid[]) WITH ORDINALITY AS t (oid, place) ORDER BY t.place
            """, [oids])
        return (0..<found.count).map { found.integer($0, 0) ?? 0 }
    }
}
