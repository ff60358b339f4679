/// How fast a rule deletes, and how much longer it will take.
package struct Pace: Equatable, Sendable {
    /// The rows deleted per second, without the time spent counting them.
    package let rowsPerSecond: Double
    /// The estimated time left; nil while it is short or uncertain.
    package let left: Duration?

    /// A shorter wait is not worth showing.
    private static let leastWait = Duration.seconds(2)
    /// The first batches are tiny and may have waited for the app, so an estimate needs at least this much time and
    /// this many batches.
    private static let leastTime = Duration.seconds(1)
    private static let leastBatches = 30

    /// The pace of a rule, from its report so far.
    package init(_ report: RuleReport) {
        rowsPerSecond = Double(report.deleted) / max(0.001, report.deleting.seconds)
        let rest = Double((report.expired ?? 0) - report.deleted)
        let left = Duration.seconds(rest / max(1, rowsPerSecond))
        let isKnown = report.deleting >= Self.leastTime && report.batches >= Self.leastBatches
        self.left = isKnown && left >= Self.leastWait ? left : nil
    }
}
