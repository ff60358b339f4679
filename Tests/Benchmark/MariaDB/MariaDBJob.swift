import TestSupport

/// A reader's articles in MariaDB, and which of them are to go: the table of ``ServerRecipe/Table/articles``, but that its
/// times are numbers of seconds, as readers on MariaDB have them.
struct MariaDBJob {
    let rows: Int

    /// The database that the others are copies of.
    var name: String { "articles_\(rows)" }

    /// How many rows go: of the old half those that are read and have no star.
    var expired: Int { (0..<ExpiredShare.half.rows(of: rows)).count(where: ServerRecipe.isUnprotected) }
    private var cutoff: Int64 { ExpiredShare.half.cutoff }

    static let creation = """
        CREATE TABLE entry (id BIGINT NOT NULL PRIMARY KEY, created_at BIGINT NOT NULL, feed_id INT NOT NULL,
            is_read BOOLEAN NOT NULL, starred BOOLEAN NOT NULL, visits INT NOT NULL DEFAULT 0,
            hash VARCHAR(40) NOT NULL, title VARCHAR(500) NOT NULL, content TEXT NOT NULL,
            KEY (feed_id, created_at), KEY (created_at), KEY (hash)) ENGINE = InnoDB;
        """

    /// The statements that make the table.
    var statements: String {
        let parts = Timeline(records: rows).parts.filter { !$0.rows.isEmpty }.map { part in
            """
            INSERT INTO entry SELECT i,
                \(part.from) + \(part.until - part.from) * (i - \(part.rows.lowerBound)) DIV \(part.rows.count),
                i % \(max(1, rows / 300)), \(ServerRecipe.isRead), \(ServerRecipe.isStarred), 0, md5(i),
                concat('Article ', i, ' of a feed with a title of its own'),
                concat(repeat(md5(i + 1), 6), ' and a few more words.')
                FROM (SELECT seq AS i FROM seq_\(part.rows.lowerBound)_to_\(part.rows.upperBound - 1)) numbers;
            """
        }
        return ([Self.creation] + parts).joined(separator: "\n")
    }

    /// In SQL, what the rule says of a row.
    var condition: String { "created_at < \(cutoff) AND is_read AND NOT starred" }

    /// The same by how the table was made.
    private var isExpired: String {
        "id < \(ExpiredShare.half.rows(of: rows)) AND \(isRead) AND NOT \(isStarred)"
    }
    private var isRead: String { "(\(ServerRecipe.isRead.replacing("i ", with: "id ")))" }
    private var isStarred: String { "(\(ServerRecipe.isStarred.replacing("i ", with: "id ")))" }

    var statement: String { "DELETE FROM entry WHERE \(condition)" }

    /// Deletes `limit` rows in each transaction, and says how long the longest took.
    func loop(limit: Int) -> String {
        """
        DELIMITER $
        BEGIN NOT ATOMIC
            DECLARE began, longest DOUBLE DEFAULT 0;
            DECLARE deleted INT;
            REPEAT
                SET began = unix_timestamp(sysdate(6));
                DELETE FROM entry WHERE \(condition) LIMIT \(limit);
                SET deleted = row_count();
                COMMIT;
                SET longest = greatest(longest, unix_timestamp(sysdate(6)) - began);
            UNTIL deleted = 0 END REPEAT;
            SELECT concat('longest ', longest * 1000, ' ms');
        END $
        """
    }

    /// Counts the rows that are left: those that must go and nobody has touched; those that must go; those that must stay
    /// and are as they were made; all.
    var count: String {
        """
        SELECT coalesce(sum(\(isExpired) AND visits = 0), 0), coalesce(sum(\(isExpired)), 0),
            coalesce(sum(NOT (\(isExpired)) AND is_read = \(isRead) AND starred = \(isStarred)), 0), count(*)
        FROM entry
        """
    }

    /// The configuration with which pruned does it. What is kept is counted back from `now`.
    func policy(url: String, now: Int64) -> String {
        """
        time_zone = "UTC"
        [guard]
        max_share = 1.0
        [store.articles]
        url = "\(url)"
        [rule.\(Policy.ruleName)]
        table = "entry"
        every = "1d"
        age_column = "created_at"
        unit = "s"
        keep = "\(now - cutoff)s"
        where = "is_read"
        protect = ["starred"]
        """
    }
}
