/// How the batches of a rule find their rows.
public enum DeletePlan: String, Encodable, CaseIterable, Sendable {
    /// Through the table in key order, range by range: each page is written once. Wins when many rows expired.
    case walk
    /// Through an index on the rule's time, range by range: touches nothing but expired rows. Wins when few rows
    /// expired.
    case index

    /// The cheaper plan, from what was measured: the walk reads the whole table at several times the speed at
    /// which the index finds scattered rows.
    public static func cheaper(expired: Int64, rows: Int64, hasTimeIndex: Bool) -> DeletePlan {
        hasTimeIndex && expired < rows / walkAdvantage ? .index : .walk
    }

    /// The number of rows above which their exact number does not change the plan.
    public static func rowsOfInterest(expired: Int64) -> Int64 {
        let (rows, overflow) = (expired + 1).multipliedReportingOverflow(by: walkAdvantage)
        return overflow ? .max : rows
    }

    /// How many rows the walk passes in the time in which the index finds one.
    private static let walkAdvantage: Int64 = 8
}
