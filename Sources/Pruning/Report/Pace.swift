/// How fast a rule deletes, and how long it will take.
package struct Pace: Equatable, Sendable {
    /// The rows that it deletes in a second, the time for counting them left out.
    package let rowsPerSecond: Double
    /// The time that is left; nil while it is not worth telling.
    package let left: Duration?

    /// Nobody waits for less.
    private static let leastWait = Duration.seconds(2)
    /// The first batches are tiny, and may have waited for the app: nothing can be told by so short a time, or so few.
    private static let leastTime = Duration.seconds(1)
    private static let leastBatches = 30

    /// The pace of a rule by its report so far.
    package init(_ report: RuleReport) {
        rowsPerSecond = Double(report.deleted) / max(0.001, report.deleting.seconds)
        let rest = Double((report.expired ?? 0) - report.deleted)
        let left = Duration.seconds(rest / max(1, rowsPerSecond))
        let isKnown = report.deleting >= Self.leastTime && report.batches >= Self.leastBatches
        self.left = isKnown && left >= Self.leastWait ? left : nil
    }
}
