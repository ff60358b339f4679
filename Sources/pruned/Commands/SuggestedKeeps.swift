import Retention

/// The periods that a person chooses from, and whether what they would delete can be counted.
enum SuggestedKeeps {
    /// The longest first: it is in force until a person has chosen.
    static let all = [Span(1, .year), Span(90, .day), Span(30, .day)]

    /// Whether counting a table's expired rows takes no longer than a person waits.
    static func areCountable(in table: TableSketch) -> Bool { !table.isEstimate && table.rows <= mostCounted }

    private static let mostCounted: Int64 = 300_000
}
