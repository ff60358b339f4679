/// A rule on the articles of a reading app, as its user would write it; and the one statement that does the same.
enum ArticleRule: CaseIterable {
    /// Articles that were read go, unless a star, a label or a bookmark keeps them.
    case deleted
    /// The same articles are marked.
    case marked
    /// All but the newest ``newest`` of each feed go.
    case oldestOfFeed

    static let newest = 200

    /// Whether the articles stay, marked.
    var marks: Bool { self == .marked }

    /// What the configuration says besides the age.
    var policy: String {
        switch self {
        case .deleted: Self.protection
        case .marked: Self.protection + "\naction = { set = { deleted = 1 } }"
        case .oldestOfFeed: "keep_last = \(Self.newest)\nkeep_last_per = \"feed_id\""
        }
    }

    private static let protection = """
        where = "read = 1"
        protect = ["starred = 1", "\(labelled)"]
        kept_by = "bookmark.article"
        """
    private static let labelled = "EXISTS (SELECT 1 FROM label l WHERE l.article = article.id)"

    /// In SQL, what the rule says of articles that are older than `cutoff`.
    func statement(before cutoff: Int64) -> String {
        switch self {
        case .deleted: "DELETE FROM article WHERE \(Self.unprotected(before: cutoff));"
        case .marked: "UPDATE article SET deleted = 1 WHERE \(Self.unprotected(before: cutoff));"
        case .oldestOfFeed:
            """
            DELETE FROM article WHERE received < \(cutoff) AND id IN (SELECT id FROM (\
            SELECT id, row_number() OVER (PARTITION BY feed_id ORDER BY received DESC) AS place FROM article) \
            WHERE place > \(Self.newest));
            """
        }
    }

    private static func unprotected(before cutoff: Int64) -> String {
        """
        received < \(cutoff) AND (read = 1) IS TRUE AND (starred = 1) IS FALSE AND (\(labelled)) IS FALSE \
        AND NOT EXISTS (SELECT 1 FROM bookmark b WHERE b.article = article.id)
        """
    }

    /// How many of a store's articles go, where half of them are old enough.
    func expired(_ recipe: StoreRecipe) -> Int {
        let old = ExpiredShare.half.rows(of: recipe.records)
        guard self != .oldestOfFeed else { return min(old, recipe.articlesBeyondNewest) }
        let kinds = (0..<Article.kinds).map { Article($0).isUnprotected }
        let isUnprotected = { kinds[$0 % Article.kinds] }
        return old / Article.kinds * kinds.count { $0 }
            + (old - old % Article.kinds..<old).count(where: isUnprotected)
    }

    /// The same in SQL, by how the store was made: by the ids alone, not by what the rule looks at.
    func isExpired(_ recipe: StoreRecipe) -> String {
        let old = ExpiredShare.half.rows(of: recipe.records)
        guard self != .oldestOfFeed else { return "id <= \(min(old, recipe.articlesBeyondNewest))" }
        let kinds = (0..<Article.kinds).filter { Article($0).isUnprotected }.map(String.init)
        return "id <= \(old) AND (id - 1) % \(Article.kinds) IN (\(kinds.joined(separator: ", ")))"
    }
}

extension StoreRecipe {
    /// Those that are not among the newest ``ArticleRule/newest`` of their feed: the feeds take turns.
    fileprivate var articlesBeyondNewest: Int { max(0, records - ArticleRule.newest * articleFeeds) }
}
