/// What is to be deleted from the copy of a store.
struct Job {
    enum Expiring: Equatable {
        case readRecords(ExpiredShare)
        /// The stale half of the feeds, with their articles.
        case feeds
        /// The old items.
        case items
    }

    let recipe: StoreRecipe
    let expiring: Expiring
    /// Whether free pages are to be given back, too.
    var reclaim = false
    /// Whether the rows go to the archive first.
    var archive = false
    /// Whether the rule is a quiet one.
    var quiet = false

    var table: String {
        switch expiring {
        case .readRecords: "read_record"
        case .feeds: "feed"
        case .items: "item"
        }
    }

    var timeColumn: String {
        switch expiring {
        case .readRecords: "created_at"
        case .feeds: "expires_at"
        case .items: "timestamp"
        }
    }

    /// A row is expired when its time lies before it; in Unix seconds.
    var cutoff: Int64 {
        switch expiring {
        case .readRecords(let share): share.cutoff
        case .feeds: Timeline.end + Timeline.day
        case .items: ExpiredShare.none.cutoff
        }
    }

    /// Rows of ``table`` that are to go.
    var expired: Int {
        switch expiring {
        case .readRecords(let share): share.rows(of: recipe.records)
        case .feeds: (recipe.feeds + 1) / 2
        case .items: recipe.oldItems
        }
    }

    /// Rows of ``table`` that are to stay.
    var kept: Int {
        switch expiring {
        case .readRecords: recipe.records - expired
        case .feeds: recipe.feeds - expired
        case .items: Array(recipe.markedRecords).count
        }
    }
}
