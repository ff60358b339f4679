/// Models how a writer waits for the lock. SQLite's own busy handler does not queue; it polls.
///
/// It polls 1, 3, 8, 18, 33 ms and so on after the first refusal (`sqliteDefaultBusyCallback` in SQLite's main.c, as
/// set by `sqlite3_busy_timeout`). A lock that is free only between two polls is never free for it.
enum BusyHandler {
    /// The time from one poll to the next.
    private static let intervals = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100].map {
        Duration.milliseconds($0)
    }
    /// Sleeping threads wake up late, but rarely by more than a quarter of their sleep.
    private static let margin = 1.25
    /// Almost no thread wakes up as late as this.
    private static let largeMargin = 2.0
    /// The longest poll interval to wait for when the only evidence for a writer is that it missed its turn.
    private static let longestForLate = Duration.milliseconds(10)

    /// How long the lock must stay free after a batch of lock time `held`, so that every writer refused meanwhile polls
    /// again.
    static func gap(after held: Duration) -> Duration {
        intervals[interval(after: held)] * margin
    }

    /// The same for a regular writer that has `missed` this many pauses, and so is that many polls further. Beyond some
    /// interval nobody is assumed to wait.
    static func gap(after held: Duration, forRegularWhoMissed missed: Int) -> Duration {
        let later = min(interval(after: held) + missed, intervals.count - 1)
        guard intervals[later] <= longestForLate else { return gap(after: held) }
        return intervals[later] * (missed == 0 ? largeMargin : margin)
    }

    /// The index of the first interval that ends after `held`.
    private static func interval(after held: Duration) -> Int {
        var asked = Duration.zero
        return intervals.firstIndex {
            asked += $0
            return held <= asked
        } ?? intervals.count - 1
    }
}
