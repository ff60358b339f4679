import Retention

/// How large the next batch is and how long the lock stays free before it.
///
/// The size follows the time for which batches really kept the lock. While somebody else has the store open, batches
/// are short and each is followed by a pause in which a waiting writer gets its turn; while nobody has, nobody can wait,
/// and there is no pause.
///
/// A batch has a cost that does not depend on its size, the commit above all: on a slow disk it may be more than the
/// limit. Only what comes on top of that follows the size, and a batch is always worth its fixed cost.
package struct BatchPacer: Equatable, Sendable {
    /// The batch size, in rows to look at.
    package private(set) var rows: Int
    /// How long the lock stays free after the last batch.
    package private(set) var pause = Pause.none
    /// Whether the last pause ended early, as somebody used the lock. Not twice in a row: a second one may wait.
    private var wasCut = false
    private let lockTime: LockTime
    private let isQuiet: Bool
    private var isAlone = false
    /// How many batches the size has grown by from the first row on; nil when it has done so.
    private var beginning: Int? = 0
    /// How often one row alone has been too much, without a batch between.
    private var excesses = 0
    /// How many batches there were of one slow row, without any other between.
    private var slowRows = 0
    private var cost = BatchCost()
    private var others = WriterRhythm()
    private var crowd = WriterCrowd()

    /// Bearable even where each row is as dear as a table (a foreign key without an index).
    static let firstRows = 1
    static let mostRows = 1_000_000
    /// Until a batch has so many rows, its size follows what the rows alone took; of the commit nothing is known yet.
    static let provenRows = 32
    /// Where rows are dear, so many batches tell as much.
    static let firstBatches = 8
    /// So often is one row tried again that took out of all proportion: the first time, it may have come from a slow disk.
    static let mostExcesses = 3
    /// After so many slow rows all of them are: a run could take days.
    static let mostSlowRows = 50
    /// The part of the lock time that a row of many may take which go together; some hundredths of a millisecond are usual.
    static let largestPart = 0.02
    /// Aim below the limit: the time of a batch varies, and the limit is meant for the longest.
    static let aim = 0.7
    /// The part of the limit that a batch may take while others have the store open. A writer that meets 3 ms gets the
    /// lock with its second question at the latest, see ``BusyHandler``.
    static let sharedPart = 0.3
    /// Where few rows are expired, a batch may be as large as takes so many times the limit if all of them were: such
    /// a stretch may come next.
    static let overrun = 2.0

    /// How long a quiet batch should have the lock, and for how many times as long it then leaves it free: an app that does not
    /// wait is refused in less than one of a hundred tries.
    static let quietTime = Duration.milliseconds(1)
    static let quietPause = 400.0
    /// Whatever a batch took.
    static let longestPause = Duration.seconds(10)

    /// Batches that keep the lock for `lockTime` at the most. `isQuiet`: see ``RetentionRule/isQuiet``.
    package init(lockTime usual: Duration, isQuiet: Bool = false) {
        lockTime = LockTime(usual)
        self.isQuiet = isQuiet
        rows = Self.firstRows
    }

    /// The longest that the next batch may keep the lock.
    private var limit: Duration {
        if isQuiet { return min(lockTime.usual, Self.quietTime) }
        return isAlone ? lockTime.usual : lockTime.usual * Self.sharedPart
    }
    /// The time that the next batch should keep the lock.
    var target: Duration { limit * Self.aim }

    /// Learns from a batch.
    package mutating func record(_ batch: BatchWork) {
        // An app that comes while it is quiet is not to be met by a long batch.
        isAlone = batch.isAlone && !isQuiet
        // Nor does anybody wait for a batch that took no lock.
        pause = isAlone || batch.visited == 0 ? .none : pause(after: batch.lockTime)
        guard batch.visited > 0, batch.lockTime > .zero else { return }
        excesses = 0
        slowRows = isSlowRow(batch) ? slowRows + 1 : 0
        cost.learn(rows: rows, deleted: Int(batch.changed), held: batch.lockTime)
        if let count = beginning {
            rows = begin(after: batch)
            beginning = rows < Self.provenRows && count + 1 < Self.firstBatches ? count + 1 : nil
            return
        }
        let fitting = min(cost.rows(within: target), cost.rows(ifAllExpired: limit * Self.overrun))
        let factor = min(2, max(0.25, fitting / Double(rows)))
        rows = min(Self.mostRows, max(1, Int(Double(rows) * factor)))
    }

    /// Whether one row has taken longer than a batch should, and not for its many dependents. The commit is up to the disk.
    private func isSlowRow(_ batch: BatchWork) -> Bool {
        let work = batch.lockTime - batch.commit
        let most = lockTime.usual * (Self.largestPart * Double(batch.changed + batch.dependents))
        return rows == 1 && batch.changed > 0 && work > max(lockTime.usual, most)
    }

    /// Whether every row is as slow as a whole table.
    var meetsSlowRowsOnly: Bool { slowRows >= Self.mostSlowRows }

    /// The next size after one of the first batches. The second has two rows at least: two sizes tell what a row costs from
    /// what a batch costs.
    private func begin(after batch: BatchWork) -> Int {
        let work = (batch.lockTime - batch.commit).seconds
        let affordable = max((target - batch.commit).seconds, batch.commit.seconds)
        let factor = work > 0 ? min(8, max(0.25, affordable / work)) : 8
        return min(Self.provenRows, max(beginning == 0 ? 2 : 1, Int(Double(rows) * factor)))
    }

    /// Begins again with one row after a batch whose statements took so long that they were ended; false when it was one
    /// row that did, again and again.
    package mutating func beginAgain() -> Bool {
        excesses = rows > 1 ? 0 : excesses + 1
        (rows, beginning) = (1, nil)
        pause = isAlone ? .none : pause(after: lockTime.longest)
        return excesses < Self.mostExcesses
    }

    /// Learns from the pause how often somebody else has used the lock in the time since the batch.
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

    /// Halves the batch after one that was too large for the disk or the archive; false when it is one row already.
    package mutating func shrink() -> Bool {
        guard rows > 1 else { return false }
        rows /= 2
        return true
    }
}

/// Whether several others write to the store, as the pauses between batches show it.
///
/// A pause that ends when somebody has used the lock serves one writer. Another one who was refused goes on sleeping, longer
/// each time, and may be refused again and again by chance: of three who wrote every few milliseconds, one write in a hundred
/// waited for 53 ms, one in a thousand for 179 ms. While there are several, each pause lasts until all who were
/// refused have asked again.
struct WriterCrowd: Equatable, Sendable {
    /// For how many pauses more there are believed to be several.
    private var pauses = 0

    var isThere: Bool { pauses > 0 }

    /// One alone that was kept waiting may use a pause twice.
    private static let usesOfOne = 2
    /// By then those who write often are seen again.
    private static let memory = 32

    /// Learns from a pause how often others used the lock in the time since the batch. Of a long one that says nothing,
    /// unless they did so more than once in a millisecond.
    mutating func paused(uses: Int, in time: Duration) {
        let isCrowd = uses > Self.usesOfOne && .milliseconds(uses) > time
        pauses = isCrowd ? Self.memory : max(0, pauses - 1)
    }
}

/// How regularly others use the lock, as the pauses between batches show it: one who uses it in every pause and then does
/// not may be waiting.
///
/// A writer that was refused sleeps between its questions, longer each time. A pause is as long as the sleep after which it
/// asks again; but it may wake up late, find the next batch, and then sleep for longer than any pause lasts. So it could
/// be refused again and again, by chance: an app that writes every 3 ms waited for 132 ms.
///
/// The average is for those who write now and then: if each use of theirs was followed by longer pauses, a run beside a write
/// every 30 ms would take nearly twice as long.
struct WriterRhythm: Equatable, Sendable {
    /// How many pauses there were since one in which somebody else used the lock.
    private var unused = 0
    /// How many there usually are, by a moving average; nil before the first use.
    private var usual: Double?

    /// So much of a new figure goes into the average.
    private static let weight = 0.25
    /// Late is who takes longer than so many times the usual time.
    private static let patience = 2.0

    /// Learns from a pause whether somebody else used the lock in it.
    mutating func paused(wasUsed: Bool) {
        guard wasUsed else {
            unused += 1
            return
        }
        let known = usual ?? Double(unused)
        usual = known + (Double(unused) - known) * Self.weight
        unused = 0
    }

    /// How many pauses somebody has missed who used more than every other one of late; nil when nobody did.
    var missedByRegular: Int? {
        guard let usual, usual < 1 else { return nil }
        return max(0, unused - Int(usual * Self.patience))
    }
}
