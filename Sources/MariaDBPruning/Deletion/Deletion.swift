import Archive
import Pruning
import Retention
import RuleEngine

/// The deletion, or marking, of one task's rows, batch by batch.
///
/// A batch locks the rows of a range that go, without waiting for any; looks at those once more; deletes what refers to
/// them, the farthest first; and then them, by their keys.
final class Deletion {
    let task: PruneTask
    let census: Census
    let accessPath: AccessPath
    /// The rows that ``census`` counted; nil if nobody needs to know which they are.
    let expiredRows: RowsFingerprint?
    let bound: BoundRule
    private let condition: ExpiryCondition
    private let watch: SchemaWatch
    /// Nil if the rows are not archived.
    private let archived: ArchivedColumns?
    private var walk: RangeWalk
    private let isByTime: Bool
    private(set) var remaining: Int64
    /// Whether the walk began again, for rows that others had locked.
    private var isRevisiting = false
    /// How many batches in a row could not lock what they need.
    private var refusals = 0

    /// Prepares a deletion from the state that the connection's transaction sees. `watch` is older than the binding of the
    /// rule: what came between the two, one of them has seen.
    init(
        _ condition: ExpiryCondition, accessPath forced: AccessPath?, tellsRows: Bool,
        _ watch: SchemaWatch, in connection: Connection
    ) throws {
        (task, bound, self.condition, self.watch) = (condition.task, condition.bound, condition, watch)
        let counting = TableCensus(condition: condition)
        census = try counting.take(in: connection)
        expiredRows = tellsRows ? try counting.fingerprint(in: connection) : nil
        remaining = census.expired
        archived = try ArchivedColumns(of: condition.bound)
        let share = Double(census.expired) / Double(max(1, condition.bound.relation.estimatedRows))
        let byTime = (forced ?? .cheaper(expiredShare: share)) == .index
        if byTime, let time = condition.bound.time, let index = condition.bound.timeIndex {
            (walk, isByTime) = (RangeWalk([time.sql] + condition.bound.key.columns, by: index.name), true)
        } else {
            (walk, isByTime) = (
                RangeWalk(condition.bound.key.columns, by: condition.bound.key.index.name), false
            )
        }
        accessPath = isByTime ? .index : .walk
    }

    var isOver: Bool { walk.isOver }

    private var table: String { "\(bound.relation.sql) AS \(bound.relation.alias) \(walk.hint)" }

    /// What the next batch visits: `size` rows of the index.
    func next(_ size: Int, in connection: Connection) throws -> RangeWalk.Range {
        let past = isByTime ? condition.isPast : []
        return try walk.next(size) { terms, offset in
            let place = terms + past
            let found = try connection.query(
                """
                SELECT \(selected) FROM \(table)\(place.isEmpty ? "" : " WHERE " + place.joined(separator: " AND ")) \
                ORDER BY \(walk.order) LIMIT 1 OFFSET \(offset)
                """)
            return found.rows.first.map(literals)
        }
    }

    private var selected: String {
        isByTime ? "\(bound.time?.sql ?? "NULL"), \(bound.key.selected)" : bound.key.selected
    }

    private func literals(_ row: [String?]) -> [String] {
        guard isByTime, let time = bound.time else { return bound.key.literals(row) }
        return [time.value(row[0] ?? "")] + bound.key.literals(row.dropFirst())
    }

    /// SKIP LOCKED fails where no statement may wait (error 1180, MariaDB 10.11), though it waits for nobody.
    private static let passing = "SET STATEMENT innodb_lock_wait_timeout = 1 FOR "

    /// What a batch changed.
    struct Changed {
        var rows: Int64 = 0
        var dependents: Int64 = 0
        var fingerprint: RowsFingerprint?
        /// The keys of the rows, by which the fate of a commit without an answer is told.
        var witnesses: [[String]] = []
    }

    /// Changes the rows of `range`, inside of a transaction.
    func change(
        _ range: RangeWalk.Range, tellsRows: Bool, into pending: PendingRows?, in connection: Connection
    ) throws -> Changed {
        let newest = condition.newest.flatMap { $0.hasGroups ? nil : $0.isOlder }
        let place = walk.terms(range) + condition.certain + [newest].compactMap(\.self)
        var rows = try connection.query(
            """
            \(Self.passing)SELECT \(bound.key.selected) FROM \(table)\(place.isEmpty ? "" : " WHERE " + place.joined(separator: " AND ")) \
            LIMIT \(limit) FOR UPDATE SKIP LOCKED
            """
        ).rows.map(bound.key.literals)
        var changed = Changed()
        guard !rows.isEmpty else { return changed }
        if let newest = condition.newest, newest.hasGroups {
            let isLocked = bound.key.isOne(of: rows)
            let terms = [isLocked] + condition.terms
            rows = try connection.query(
                """
                SELECT \(bound.key.selected) \(condition.from())\(newest.join(among: isLocked)) \
                WHERE \(terms.joined(separator: " AND ")) LIMIT \(remaining)
                """
            ).rows.map(bound.key.literals)
            guard !rows.isEmpty else { return changed }
        }
        try watch.begin(in: connection)
        let isDoomed = bound.key.isOne(of: rows)
        if tellsRows {
            let hashes = try connection.query(
                "SELECT \(bound.key.hash(with: bound.time)) FROM \(bound.relation.sql) AS \(bound.relation.alias) WHERE \(isDoomed)"
            )
            changed.fingerprint = hashes.rows.reduce(into: RowsFingerprint()) {
                $0.add($1[0].flatMap { UInt64($0) } ?? 0)
            }
        }
        if let pending, let columns = archived {
            try columns.archive(connection.query(columns.question(isDoomed)), of: task, in: pending)
        }
        // Once the rows that belong to them are gone, a condition that reads these would judge otherwise.
        let looksFirst = !bound.others.isEmpty && !(bound.paths.isEmpty && bound.detached.isEmpty)
        if looksFirst {
            let stillGo = ([isDoomed] + condition.certainNow).joined(separator: " AND ")
            let found = try connection.query(
                "SELECT count(*) FROM \(bound.relation.sql) AS \(bound.relation.alias) \(byKey) WHERE \(stillGo)"
            )
            guard found.integer(0, 0) == Int64(rows.count) else { throw Changing() }
        }
        for step in bound.detached {
            try connection.query(detachment(of: step, isDoomed))
        }
        for path in bound.paths.sorted(by: { $0.count > $1.count }) {
            changed.dependents += try connection.query(deletion(of: path, isDoomed)).changes
        }
        if !bound.triggers.isEmpty { try connection.setAgain() }
        let terms = ([isDoomed] + (looksFirst ? [] : condition.certainNow)).joined(separator: " AND ")
        // The server would rather read the whole table, and wait for rows that others have locked.
        let source = "\(bound.relation.sql) AS \(bound.relation.alias) \(byKey)"
        let verb =
            bound.mark.map { "UPDATE \(source) SET \($0.assignments(in: bound.relation))" }
            ?? "DELETE \(bound.relation.alias) FROM \(source)"
        changed.rows = try connection.query("\(verb) WHERE \(terms)").changes
        guard changed.rows == Int64(rows.count) else { throw Changing() }
        changed.witnesses = rows
        try watch.checkKeys(in: connection)
        return changed
    }

    /// Rows of which only the second look knows that they stay are locked, too.
    private var limit: Int64 { condition.newest?.hasGroups ?? false ? .max : max(1, remaining) }

    /// Rows of the batch stay since it looked at them: others have just written what keeps them.
    struct Changing: Error {}

    /// Deletes the rows at the end of a path from the rows that go.
    private func deletion(of path: [BoundRule.Step], _ isDoomed: String) -> String {
        var (joins, parent) = ("", bound.relation.alias)
        for (number, step) in path.enumerated() {
            let name = "pruned dependent \(number)".quotedIdentifier
            joins +=
                " STRAIGHT_JOIN \(step.child.sql) AS \(name) ON \(step.matches(child: name, parent: parent))"
            parent = name
        }
        return
            "DELETE \(parent) FROM \(bound.relation.sql) AS \(bound.relation.alias) \(byKey)\(joins) WHERE \(isDoomed)"
    }

    /// Sets the column to NULL in the rows that refer to those that go.
    private func detachment(of step: BoundRule.Step, _ isDoomed: String) -> String {
        let name = "pruned detached".quotedIdentifier
        let kept = step.child.columns.filter(\.followsUpdates).map {
            ", \(name).\($0.name.quotedIdentifier) = \(name).\($0.name.quotedIdentifier)"
        }.joined()
        return """
            UPDATE \(bound.relation.sql) AS \(bound.relation.alias) \(byKey) STRAIGHT_JOIN \(step.child.sql) AS \(name) \
            ON \(step.matches(child: name, parent: bound.relation.alias)) \
            SET \(name).\(step.key.childColumns[0].quotedIdentifier) = NULL\(kept) WHERE \(isDoomed)
            """
    }

    private var byKey: String { "FORCE INDEX (\(bound.key.index.name.quotedIdentifier))" }

    /// Goes past `range` after the commit.
    func pass(_ range: RangeWalk.Range, _ rows: Int64) {
        remaining -= rows
        refusals = 0
        walk.pass(range)
        guard walk.isOver, remaining > 0, !isRevisiting else { return }
        isRevisiting = true
        walk.restart()
    }

    /// Decides what to do about a lock that others have. Returns whether the range is left for later; else the store is busy.
    func isPutOff(_ range: RangeWalk.Range) -> Bool {
        refusals += 1
        guard refusals >= Self.mostRefusals, !isRevisiting else { return false }
        pass(range, 0)
        return true
    }

    private static let mostRefusals = 3

    /// Why fewer rows went than were counted, in a transaction that is rolled back; nil if they may have come since.
    func shortfall(in connection: Connection) throws -> StoreError? {
        guard remaining > 0 else { return nil }
        let left = try TableCensus(condition: condition).take(in: connection).expired
        guard left > 0 else { return nil }
        let newest = condition.newest.flatMap { $0.hasGroups ? nil : $0.isOlder }
        let terms = condition.certain + [newest].compactMap(\.self)
        let free = try connection.query(
            """
            \(Self.passing)SELECT 1 FROM \(table)\(terms.isEmpty ? "" : " WHERE " + terms.joined(separator: " AND ")) LIMIT 1 \
            FOR UPDATE SKIP LOCKED
            """)
        guard free.count == 0 else { return nil }
        return StoreError(
            .locked, operation: RuleWork.deleteExpired.of(bound.relation.description),
            place: connection.place,
            cause:
                "\(left.grouped) of \(census.expired.grouped) expired rows were skipped: others have them locked",
            hint: "the next run takes them; SHOW ENGINE INNODB STATUS shows which transactions are open")
    }
}
