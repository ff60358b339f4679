/// What a PostgreSQL database that is measured on holds: the table `entry`.
struct ServerRecipe: Hashable {
    enum Table: Hashable {
        /// A reader's articles, rows of 350 bytes: four indexes, on the key, on feed and time, on the time, and on a hash.
        case articles
        /// A key, and a time with an index.
        case records
        /// The same in so many partitions of a day each, which have no index but that of the key.
        case days(Int)
    }

    var table = Table.articles
    var rows: Int

    /// The database of it that the others are copies of.
    var name: String {
        switch table {
        case .articles: "articles_\(rows)"
        case .records: "records_\(rows)"
        case .days(let days): "days_\(days)_\(rows)"
        }
    }

    /// The statements that make it.
    var statements: String {
        [creation, filling, indexes, "VACUUM (FREEZE, ANALYZE) entry;"].joined(separator: "\n")
    }

    private var creation: String {
        switch table {
        case .articles:
            """
            CREATE TABLE entry (id bigint NOT NULL, created_at timestamptz NOT NULL, feed_id int NOT NULL,
                read boolean NOT NULL, starred boolean NOT NULL, visits int NOT NULL DEFAULT 0, hash text NOT NULL,
                title text NOT NULL, content text NOT NULL);
            """
        case .records:
            "CREATE TABLE entry (id bigint NOT NULL, created_at timestamptz NOT NULL);"
        case .days(let days):
            """
            CREATE TABLE entry (id bigint NOT NULL, created_at timestamptz NOT NULL, PRIMARY KEY (id, created_at))
                PARTITION BY RANGE (created_at);
            SELECT format('CREATE TABLE entry_%s PARTITION OF entry FOR VALUES FROM (%L) TO (%L)', day,
                to_timestamp(\(Timeline.start) + day * \(Timeline.day)),
                to_timestamp(\(Timeline.start) + (day + 1) * \(Timeline.day)))
                FROM generate_series(0, \(days - 1)) day \\gexec
            """
        }
    }

    private var filling: String {
        switch table {
        case .articles:
            parts {
                "\($0), i % \(feeds), \(Self.isRead), \(Self.isStarred), 0, md5(i::text), "
                    + "'Article ' || i || ' of a feed with a title of its own', "
                    + "repeat(md5((i + 1)::text), 6) || ' and a few more words.'"
            }
        case .records: parts { $0 }
        case .days(let days):
            """
            INSERT INTO entry SELECT i, to_timestamp(\(Timeline.start) + i * \(days) / \(rows) * \(Timeline.day)
                + 7200 + i % 72000) FROM generate_series(0, \(rows - 1)::bigint) i;
            """
        }
    }

    /// An INSERT for each stretch of the timeline.
    private func parts(_ columns: (String) -> String) -> String {
        Timeline(records: rows).parts.filter { !$0.rows.isEmpty }.map { part in
            let time = """
                to_timestamp(\(part.from) + \(part.until - part.from) * (i - \(part.rows.lowerBound)) / \(part.rows.count))
                """
            return """
                INSERT INTO entry SELECT i, \(columns(time))
                    FROM generate_series(\(part.rows.lowerBound)::bigint, \(part.rows.upperBound - 1)) i;
                """
        }.joined(separator: "\n")
    }

    private var indexes: String {
        switch table {
        case .articles:
            """
            ALTER TABLE entry ADD PRIMARY KEY (id);
            CREATE INDEX ON entry (feed_id, created_at);
            CREATE INDEX ON entry (created_at);
            CREATE INDEX ON entry (hash);
            """
        case .records: "ALTER TABLE entry ADD PRIMARY KEY (id); CREATE INDEX ON entry (created_at);"
        case .days: ""
        }
    }

    private var feeds: Int { max(1, rows / 300) }

    /// In SQL, of the article `i`: nine tenths are read, a fiftieth has a star.
    static let isRead = "i % 10 <> 0"
    static let isStarred = "i % 50 = 1"
    /// The same here.
    static func isUnprotected(_ index: Int) -> Bool { index % 10 != 0 && index % 50 != 1 }
}
