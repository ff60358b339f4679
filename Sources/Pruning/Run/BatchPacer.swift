import Retention

/// How large the next batch is and how long the lock stays free before it.
///
/// The size follows the time for which batches really kept the lock. Each batch is followed by a pause of its own
/// length, in which a waiting writer gets its turn: SQLite's busy handler polls, so a tight loop starves it. While
/// others write, batches are a third as long, which is what keeps another's longest wait under 10 ms.
///
/// A batch has a cost that does not depend on its size, the commit above all: on a slow disk it may be more than the
/// limit. Only what comes on top of that follows the size, and a batch is always worth its fixed cost.
public struct BatchPacer: Equatable, Sendable {
    /// The batch size, in rows to look at.
    public private(set) var rows: Int
    /// How long the lock stays free after the last batch.
    public private(set) var pause: Duration = .zero
    private let hold: Duration
    private var quietBatches: Int
    private var cost = BatchCost()

    /// Small enough to be bearable where each row is dear (a foreign key without an index); soon grown where it is not.
    static let firstRows = 32
    static let mostRows = 1_000_000
    /// As far as a batch grows while fewer than half of its rows are expired: how long it would take where all are is
    /// not known yet, and such a stretch may come next.
    static let mostSparseRows = 2_000
    static let leastPause = Duration.milliseconds(1)
    /// After this many batches in which nobody else wrote, the store counts as quiet.
    static let quietAfter = 50
    /// Aim below the limit: the time of a batch varies, and the limit is meant for the longest.
    static let aim = 0.5

    /// Batches that keep the lock for `hold` at the most.
    public init(hold: Duration) {
        self.hold = hold
        rows = Self.firstRows
        quietBatches = Self.quietAfter
    }

    /// The time that the next batch should keep the lock.
    var target: Duration {
        let quiet = quietBatches >= Self.quietAfter
        return hold * Self.aim / (quiet ? 1 : 3)
    }

    /// Learns from a batch.
    public mutating func record(_ batch: BatchResult) {
        pause = max(Self.leastPause, batch.held)
        guard batch.visited > 0, batch.held > .zero else { return }
        quietBatches = batch.othersWrote || batch.waited > Self.leastPause ? 0 : quietBatches + 1
        cost.learn(rows: rows, held: batch.held)
        let factor = min(2, max(0.25, cost.rows(within: target) / Double(rows)))
        let isSparse = batch.deleted < batch.visited / 2
        let most = isSparse && factor > 1 ? max(rows, Self.mostSparseRows) : Self.mostRows
        rows = min(most, max(1, Int(Double(rows) * factor)))
    }

    /// Halves the batch after one that did not fit on the disk; false when it is one row already.
    public mutating func shrink() -> Bool {
        guard rows > 1 else { return false }
        rows /= 2
        return true
    }
}
