/// The configuration with which pruned does a job. It has only keys that every build knows that may be compared.
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
        \(expiry)
        \(timeline)
        """
    }

    private var span: String { "\"\(now - job.cutoff)s\"" }

    private var expiry: String {
        if job.expiring == .feeds {
            return "expires_column = \"expires_at\"\ngrace = \(span)\ndependents = [\"article\"]"
        }
        let isMarked = job.table == "read_record" && job.recipe.schema == .reader
        return "age_column = \"\(job.timeColumn)\"\nkeep = \(span)"
            + (isMarked ? "\nkept_by = \"tweet.id\"" : "")
    }

    /// The rule that the built-in policy applies before, where there are rows for it.
    private var timeline: String {
        guard job.recipe.hasOldTweets else { return "" }
        return """
            [rule.timeline]
            table = "tweet"
            age_column = "created_at"
            keep = \(span)
            every = "1d"

            """
    }
}
