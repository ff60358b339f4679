/// What is to be deleted from, or marked in, the copy of a store.
struct Job {
    enum Expiring: Equatable {
        case readRecords(ExpiredShare)
        /// The stale half of the feeds, with their articles.
        case feeds
        /// The old items.
        case items
        /// Of the old half of the articles, what the rule says.
        case articles(ArticleRule)
    }

    let recipe: StoreRecipe
    var expiring = Expiring.readRecords(.half)
    /// Whether free pages are to be given back, too.
    var reclaim = false
    /// Whether the rows go to the archive first.
    var archive = false
    /// Whether the rule is a quiet one.
    var quiet = false

    /// `expired` of the `rows` of the table are to go: those whose time lies before `cutoff`, in Unix seconds. Of articles,
    /// not all of these.
    var rows: (table: String, timeColumn: String, cutoff: Int64, expired: Int, rows: Int) {
        switch expiring {
        case .readRecords(let share):
            ("read_record", "created_at", share.cutoff, share.rows(of: recipe.records), recipe.records)
        case .feeds:
            ("feed", "expires_at", Timeline.end + Timeline.day, (recipe.feeds + 1) / 2, recipe.feeds)
        case .items:
            (
                "item", "timestamp", ExpiredShare.none.cutoff, recipe.oldItems,
                recipe.oldItems + Array(recipe.markedRecords).count
            )
        case .articles(let rule):
            ("article", "received", ExpiredShare.half.cutoff, rule.expired(recipe), recipe.records)
        }
    }

    var table: String { rows.table }
    var timeColumn: String { rows.timeColumn }
    var cutoff: Int64 { rows.cutoff }
    var expired: Int { rows.expired }
    var staying: Int { rows.rows - rows.expired }

    /// The one statement that does the same.
    var statement: String {
        if case .articles(let rule) = expiring { return rule.statement(before: cutoff) }
        return "DELETE FROM \(table) WHERE \(timeColumn) < \(cutoff);"
    }
}
