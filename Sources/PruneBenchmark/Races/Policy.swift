/// The configuration with which pruned does a job.
struct Policy: CustomStringConvertible {
    static let ruleName = "expired"

    let job: Job
    /// In Unix seconds. What is kept is counted back from the moment of the run to the job's cutoff.
    let now: Int64

    var description: String {
        """
        time_zone = "UTC"
        [guard]
        max_share = 1.0
        [store.measured]
        path = "\(StoreCopy.fileName(job.recipe.schema))"
        reclaim = \(job.reclaim)
        [rule.\(Self.ruleName)]
        table = "\(job.table)"
        every = "1d"
        archive = \(job.archive)
        quiet = \(job.quiet)
        \(rule)
        \(timeline)
        """
    }

    /// The rule that the built-in policy applies before, where there are rows for it.
    private var timeline: String {
        guard job.recipe.hasOldTweets else { return "" }
        return """
            [rule.timeline]
            table = "tweet"
            age_column = "created_at"
            keep = "\(now - job.cutoff)s"
            every = "1d"

            """
    }

    private var rule: String {
        let span = "\(now - job.cutoff)s"
        return switch (job.expiring, job.recipe.schema) {
        case (.readRecords, .reader):
            "age_column = \"created_at\"\nkeep = \"\(span)\"\nkept_by = \"tweet.id\""
        case (.readRecords, .usual):
            "age_column = \"created_at\"\nkeep = \"\(span)\""
        case (.items, _):
            "age_column = \"timestamp\"\nkeep = \"\(span)\""
        case (.feeds, _):
            "expires_column = \"expires_at\"\ngrace = \"\(span)\"\ndependents = [\"article\"]"
        }
    }
}
