/// Decides when larger batches are tried where batches stay small.
///
/// Batches of one size do not tell which part of their time is fixed. So a few unlucky times, such as those of a busy
/// machine, could keep batches at one row for the whole run. And the fixed part may appear in some batches only: a keeper
/// without an index is read as a whole where at least one row of the batch may stay. Then up to a few rows each row
/// seems to cost something, and no more does.
///
/// A try doubles the size from batch to batch, as long as rows that cost in proportion would stay within the lock time, or
/// the last doubling took much less than twice the time. Where a row takes most of the lock time, a try is one batch of
/// two rows.
struct SmallBatches: Equatable, Sendable {
    private let largest: Int
    /// How many small batches there were since the last try.
    private var count = 0
    /// How many there must be before the next try.
    private var wait = Self.firstWait
    /// The time of the batch before, during a try.
    private var before: Duration?

    /// Whether the next batch is larger only as a try.
    var isTrying: Bool { before != nil }

    private static let firstWait = 16
    private static let longestWait = 128
    /// A batch of twice the size must take less than this many times the time.
    private static let worthwhile = 1.5

    /// Batches with fewer rows are small. A try ends at this size: then the fixed part is known.
    init(below rows: Int) { largest = rows }

    /// The size after a batch of `rows` that took `held`; `usual` is what such batches have taken lately. `fitting` is the
    /// size without a try, and `limit` the longest time that a batch should take.
    mutating func size(
        after held: Duration, of rows: Int, usual: Duration, fitting: Int, limit: Duration
    ) -> Int {
        if let last = before {
            let goesOn = rows < largest && (held * 2 <= limit || held < last * Self.worthwhile)
            before = goesOn ? held : nil
            return goesOn ? max(fitting, rows * 2) : fitting
        }
        count = rows < largest ? count + 1 : 0
        guard count >= wait else { return fitting }
        (count, wait, before) = (0, min(wait * 2, Self.longestWait), usual)
        return max(fitting, rows * 2)
    }

    /// Ends a try after a batch that did not succeed.
    mutating func stop() { before = nil }
}
