/// What is known of how a writer waits for the lock: SQLite's own busy handler does not queue, it asks again and again.
///
/// It asks 1, 3, 8, 18, 33 ms and so on after the first refusal (`sqliteDefaultBusyCallback` in SQLite's main.c, as set
/// by `sqlite3_busy_timeout`), so a lock that is free for a moment between two questions is as good as never free.
enum BusyHandler {
    /// The time from one question to the next.
    private static let intervals = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100].map {
        Duration.milliseconds($0)
    }
    /// Sleepers wake up late, few by more than a quarter of their sleep.
    private static let margin = 1.25
    /// Nearly nobody by as much as that.
    private static let largeMargin = 2.0
    /// The longest sleep in which somebody is waited for of whom nothing is known but that one is late.
    private static let longestForLate = Duration.milliseconds(10)

    /// How long the lock must stay free, after it was held for `held`, so that whoever asked meanwhile asks again.
    static func gap(after held: Duration) -> Duration {
        intervals[interval(after: held)] * margin
    }

    /// The same for one who comes regularly, and has `missed` so many of such times: so many questions later, and after some
    /// there is nobody.
    static func gap(after held: Duration, forRegularWhoMissed missed: Int) -> Duration {
        let later = min(interval(after: held) + missed, intervals.count - 1)
        guard intervals[later] <= longestForLate else { return gap(after: held) }
        return intervals[later] * (missed == 0 ? largeMargin : margin)
    }

    /// Which interval is the first to end after `held`.
    private static func interval(after held: Duration) -> Int {
        var asked = Duration.zero
        return intervals.firstIndex {
            asked += $0
            return held <= asked
        } ?? intervals.count - 1
    }
}
