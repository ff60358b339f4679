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
    static let margin = 1.25
    /// Nearly nobody by as much as that.
    static let largeMargin = 2.0

    /// The longest that is waited for somebody of whom nothing but the lateness is known.
    private static let longest = Duration.milliseconds(25)

    /// How long the lock must stay free, after it was held for `held`, so that whoever asked meanwhile asks again.
    ///
    /// Whoever has `missed` so many of such times asks so many questions later; after some there is nobody.
    static func gap(after held: Duration, missed: Int = 0, margin: Double = margin) -> Duration {
        var asked = Duration.zero
        let next =
            intervals.firstIndex {
                asked += $0
                return held <= asked
            } ?? intervals.count - 1
        let later = next + missed
        guard missed > 0, later < intervals.count, intervals[later] <= longest else {
            return intervals[next] * margin
        }
        return intervals[later] * margin
    }
}
