/// Decides how large the next batch is, and how long the lock stays free before it.
///
/// The size follows the measured lock times. While another connection has the store open, batches are short, and a
/// pause after each lets a waiting writer take its turn. While no other connection exists, nobody can wait, so there is
/// no pause.
///
/// Part of the cost does not depend on the size, mostly the commit. On a slow disk that part alone may exceed the
/// limit. Only the rest depends on the size, and a batch always has enough rows to be worth its fixed cost.
package struct BatchPacer: Equatable, Sendable {
    /// The size of the next batch: the number of rows to visit.
    package private(set) var rows: Int
    /// How long the lock stays free after the last batch.
    package private(set) var pause = Pause.none
    /// Whether the last pause ended early because another connection used the lock. The next pause then does not end
    /// early, since a second writer may be waiting.
    private var wasCut = false
    private let lockTime: LockTime
    private let isQuiet: Bool
    /// How many rows a second may be changed; nil for any number.
    private let rate: Int?
    /// How many rows at most have gone for one that was visited: with its dependents, or of a page that is visited as a whole.
    private var mostOfOne = 1.0
    /// How long the rate asks for after the last batch.
    private(set) var owed = Duration.zero
    private var isAlone = false
    /// How many batches of the starting phase have run; nil when that phase is over.
    private var beginning: Int? = 0
    /// How many times in a row a batch of one row was interrupted for taking too long.
    private var excesses = 0
    private var slow = SlowRows()
    private var cost = BatchCost()
    private var small = SmallBatches(below: Self.provenRows)
    private var others = WriterRhythm()
    private var crowd = WriterCrowd()

    /// One row is bearable even if it costs as much as a table scan (a foreign key without an index).
    static let firstRows = 1
    static let mostRows = 1_000_000
    /// The starting phase ends when a batch has this many rows. Until then the size follows the time without the
    /// commit, whose cost is not known yet.
    static let provenRows = 32
    /// The starting phase also ends after this many batches, where rows are expensive.
    static let firstBatches = 8
    /// How often a single row that takes far too long is tried. The first time, a slow disk may be the cause.
    static let mostExcesses = 3
    /// The target is below the limit: batch times vary, and the limit is meant for the longest batch.
    static let aim = 0.7
    /// The part of the limit that a batch may take while others have the store open. A writer that meets a batch of 3
    /// ms gets the lock at its second retry at the latest, see ``BusyHandler``.
    static let sharedPart = 0.3
    /// Where few rows have expired, a batch is limited to the size that would take this many times the limit if all its
    /// rows had expired. A stretch of expired rows may come next.
    static let overrun = 2.0

    /// The lock time of a quiet batch, and how many times longer the lock then stays free. An app that does not wait
    /// for the lock then fails in less than one of a hundred attempts.
    static let quietTime = Duration.milliseconds(1)
    static let quietPause = 400.0
    /// The longest quiet pause, however long the batch took.
    static let longestPause = Duration.seconds(10)

    /// Batches with a lock time of at most `lockTime`. For `isQuiet` see ``RetentionRule/isQuiet``. After each batch the pause
    /// is so long that no more than `rate` rows a second go. As far as the batches before tell, none takes more than a second's.
    package init(lockTime usual: Duration, isQuiet: Bool = false, rate: Int? = nil) {
        lockTime = LockTime(usual)
        (self.isQuiet, self.rate) = (isQuiet, rate)
        rows = Self.firstRows
    }

    /// The longest lock time that the next batch may have.
    private var limit: Duration {
        if isQuiet { return min(lockTime.usual, Self.quietTime) }
        return isAlone ? lockTime.usual : lockTime.usual * Self.sharedPart
    }
    /// The lock time that the next batch should have.
    var target: Duration { limit * Self.aim }

    /// Learns from a batch.
    package mutating func record(_ batch: BatchWork) {
        learn(from: batch)
        // A partition that is dropped takes no time, and no work for each of its rows.
        guard let rate, batch.lockTime > .zero else { return owed = .zero }
        let gone = Double(batch.changed + batch.dependents)
        mostOfOne = max(mostOfOne, gone / Double(max(1, batch.visited)))
        rows = min(rows, max(1, Int(Double(rate) / mostOfOne)))
        owed = max(.zero, .seconds(gone / Double(rate)) - batch.lockTime)
        if owed > pause.least { pause = Pause(least: owed, most: max(owed, pause.most)) }
    }

    private mutating func learn(from batch: BatchWork) {
        // If the batch was alone on a quiet store, an app may still come at any time and must not meet a long batch.
        isAlone = batch.isAlone && !isQuiet
        // A batch that took no lock needs no pause either.
        pause = isAlone || batch.visited == 0 ? .none : pause(after: batch.lockTime)
        guard batch.visited > 0, batch.lockTime > .zero else { return }
        excesses = 0
        slow.record(batch, isSmallest: rows == 1 || small.isTrying, lockTime.usual)
        let usual = cost.usual ?? batch.lockTime
        cost.learn(rows: rows, deleted: Int(batch.changed), held: batch.lockTime)
        if let count = beginning {
            rows = begin(after: batch)
            beginning = rows < Self.provenRows && count + 1 < Self.firstBatches ? count + 1 : nil
            return
        }
        let fitting = min(cost.rows(within: target), cost.rows(ifAllExpired: limit * Self.overrun))
        let factor = min(2, max(0.25, fitting / Double(rows)))
        rows = small.size(
            after: batch.lockTime, of: rows, usual: usual,
            fitting: min(Self.mostRows, max(1, Int(Double(rows) * factor))),
            limit: isQuiet ? limit : lockTime.usual)
    }

    /// How many batches in a row had slow rows only, once that means that all rows are slow; else nil.
    var slowRowsOnly: Int? { slow.meetsNoOther ? slow.batches : nil }

    /// The size after a batch of the starting phase. The second batch has at least two rows: two different sizes
    /// separate the cost of a row from the cost of a batch.
    private func begin(after batch: BatchWork) -> Int {
        let work = (batch.lockTime - batch.commit).seconds
        let affordable = max((target - batch.commit).seconds, batch.commit.seconds)
        let factor = work > 0 ? min(8, max(0.25, affordable / work)) : 8
        return min(Self.provenRows, max(beginning == 0 ? 2 : 1, Int(Double(rows) * factor)))
    }

    /// Restarts with one row after a batch that was interrupted for taking too long. Returns false when a single row
    /// did so repeatedly.
    package mutating func beginAgain() -> Bool {
        excesses = rows > 1 ? 0 : excesses + 1
        (rows, beginning) = (1, nil)
        small.stop()
        pause = isAlone ? .none : pause(after: lockTime.longest)
        return excesses < Self.mostExcesses
    }

    /// Records how often other connections used the lock in the time since the batch.
    mutating func paused(uses: Int, in time: Duration) {
        guard pause != .none else { return }
        wasCut = uses > 0 && pause.least == .zero
        others.paused(wasUsed: uses > 0)
        crowd.paused(uses: uses, in: time)
    }

    private func pause(after held: Duration) -> Pause {
        if isQuiet {
            let pause = min(held * Self.quietPause, Self.longestPause)
            return Pause(least: pause, most: pause)
        }
        let gap = BusyHandler.gap(after: held)
        let most = others.missedByRegular.map { BusyHandler.gap(after: held, forRegularWhoMissed: $0) }
        return Pause(least: wasCut || crowd.isThere ? gap : .zero, most: most ?? gap)
    }

    /// Halves the batch size after a batch that was too large for the disk or the archive. Returns false when the size
    /// is one row already.
    package mutating func shrink() -> Bool {
        guard rows > 1 else { return false }
        rows /= 2
        small.stop()
        return true
    }
}

/// Detects from the pauses between batches whether several others write to the store.
///
/// A pause that ends when somebody used the lock serves one writer. Another writer that was refused sleeps on, longer
/// each time, and may be refused repeatedly by chance. With three that wrote every few milliseconds, one write in a
/// hundred waited for 53 ms, and one in a thousand for 179 ms. While there are several writers, each pause lasts until
/// all refused writers have retried.
struct WriterCrowd: Equatable, Sendable {
    /// For how many more pauses several writers are assumed.
    private var pauses = 0

    var isThere: Bool { pauses > 0 }

    /// A single writer that had to wait may use a pause twice.
    private static let usesOfOne = 2
    /// Within this many pauses, frequent writers show up again.
    private static let memory = 32

    /// Records how often others used the lock in the time since the batch. A long pause with several uses means
    /// nothing, unless there was more than one use in a millisecond.
    mutating func paused(uses: Int, in time: Duration) {
        let isCrowd = uses > Self.usesOfOne && .milliseconds(uses) > time
        pauses = isCrowd ? Self.memory : max(0, pauses - 1)
    }
}

/// Detects from the pauses between batches how regularly others use the lock. A writer that used it in every pause and
/// then misses one may be waiting.
///
/// A refused writer sleeps between its retries, longer each time. A pause is as long as the sleep before its next
/// retry. But the writer may wake up late, meet the next batch, and then sleep longer than any pause lasts. So it could
/// be refused repeatedly by chance: an app that writes every 3 ms waited for 132 ms.
///
/// The average is there for apps that write occasionally. If each use by them led to longer pauses, a run beside one
/// write every 30 ms would take nearly twice as long.
struct WriterRhythm: Equatable, Sendable {
    /// The number of pauses since the last one in which somebody else used the lock.
    private var unused = 0
    /// The usual number of pauses between two uses, by a moving average; nil before the first use.
    private var usual: Double?

    /// The weight of a new value in the average.
    private static let weight = 0.25
    /// A writer is late after this many times the usual number of pauses.
    private static let patience = 2.0

    /// Records whether somebody else used the lock in a pause.
    mutating func paused(wasUsed: Bool) {
        guard wasUsed else {
            unused += 1
            return
        }
        let known = usual ?? Double(unused)
        usual = known + (Double(unused) - known) * Self.weight
        unused = 0
    }

    /// How many pauses were missed by somebody who lately used more than every second one; nil when there is no such
    /// writer.
    var missedByRegular: Int? {
        guard let usual, usual < 1 else { return nil }
        return max(0, unused - Int(usual * Self.patience))
    }
}
