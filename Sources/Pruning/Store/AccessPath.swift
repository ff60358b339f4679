/// How the batches of a rule find their rows.
package enum AccessPath: String, Codable, CaseIterable, Sendable {
    /// Through the table in key order, range by range: each page is written once. Wins where many rows expired.
    case walk
    /// Through an index on the rule's time, range by range: touches nothing but expired rows, but a page of the table once
    /// for each batch that has one of its rows. Wins where few rows expired.
    case index

    /// The cheaper plan where there is an index on time, given how many of the first ``sample`` rows in key order have
    /// expired, from what was measured: the walk passes forty rows in the time in which the index comes to one.
    package static func cheaper(expiredShare: Double) -> AccessPath {
        expiredShare > 1 / walkAdvantage ? .walk : .index
    }

    /// The rows that are looked at to choose a plan: read in a millisecond.
    package static let sample = 2_000
    private static let walkAdvantage = 40.0
}
