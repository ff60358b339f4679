/// The tables that a run with a stepping clock prunes, and what is in them.
enum ClockRows {
    /// When runs start by a right clock: 2026-11-20T12:00:00Z.
    static let start: Int64 = 1_795_176_000
    static let tables = ["aged", "lapsed", "newest"]

    /// A row every six hours, from a day after the start to a hundred days before it, three hours off each cutoff.
    private static let times: [Int64] = (-4..<400).map { start - $0 * 21_600 - 10_800 }

    static let sql = """
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = OFF;
        """
        + tables.map { table in
            let values = times.map { "(\($0))" }.joined(separator: ",")
            return "CREATE TABLE \(table) (at INTEGER); INSERT INTO \(table) VALUES \(values);"
        }.joined()

    static let configuration = """
        time_zone = "UTC"
        [guard]
        max_share = 1
        [store.s]
        path = "s.db"
        [rule.aged]
        table = "aged"
        age_column = "at"
        keep = "30d"
        [rule.lapsed]
        table = "lapsed"
        expires_column = "at"
        grace = "1d"
        [rule.newest]
        table = "newest"
        age_column = "at"
        keep = "2w"
        keep_last = 7
        """

    static func cutoff(of table: String, at now: Int64) -> Int64 {
        now - (["aged": 30, "lapsed": 1, "newest": 14][table] ?? 0) * 86_400
    }

    static let all = Set(times)

    /// The times of rows that have expired at `now`.
    static func expired(in table: String, at now: Int64) -> Set<Int64> {
        let old = times.filter { $0 < cutoff(of: table, at: now) }
        guard table == "newest" else { return Set(old) }
        let newest = times.filter { $0 <= now }.sorted(by: >).prefix(7)
        return Set(old).subtracting(newest)
    }
}
