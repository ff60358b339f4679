import Archive
import FoundationEssentials
import Pruning
import Retention

/// Reads the rows of a rule's table that may have come back, a range of its key at a time, so that no transaction is open for
/// long. A row does not tell when it was written, so all are read.
struct MariaDBReturnSearch: ReturnSearch {
    private let task: PruneTask
    private let connection: Connection
    private let condition: ExpiryCondition
    private let columns: ArchivedColumns?

    init(_ task: PruneTask, _ access: StoreAccess, in connection: Connection) throws(StoreError) {
        (self.task, self.connection) = (task, connection)
        (condition, columns) = try connection.perform(RuleWork.lookForReturned.of(task.rule.table)) {
            try connection.snapshot {
                let condition = try access.condition(of: task, in: connection)
                return (condition, try ArchivedColumns(of: condition.bound))
            }
        }
    }

    var source: IdentitySource? { columns?.source }
    var pace: ReturnPace? { nil }

    /// The rows behind one whose key is given as literals; nil for all.
    struct Rows {
        let after: [String]?
    }

    func begin(since last: LastLook?) throws(StoreError) -> (look: LastLook, pieces: [Rows]) {
        (LastLook(at: task.start, row: nil, identity: nil), [Rows(after: nil)])
    }

    func read(_ piece: Rows, rows: Int) throws(StoreError) -> (identities: [UInt64], rest: Rows?) {
        let key = condition.bound.key
        let walk = RangeWalk(key.columns, by: key.index.name)
        let terms = walk.terms(RangeWalk.Range(after: piece.after, upTo: nil))
        guard
            let question = columns?.identities(
                terms + condition.notGone + [condition.leased?.isAbsent].compactMap(\.self), rows, by: key)
        else { return ([], nil) }
        let found = try connection.perform(RuleWork.lookForReturned.of(task.rule.table)) {
            try connection.snapshot { try connection.query(question) }
        }
        let last = found.count < rows ? nil : found.rows.last.map { key.literals($0.dropFirst()) }
        return (ArchivedColumns.identities(in: found), last.map { Rows(after: $0) })
    }
}
