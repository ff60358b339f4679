/// The entries of an index by day that stand for times that are past.
struct PastDays {
    /// SQL for what the index holds of a row: the day of its time.
    let entry: String
    /// The first and the last day with a time that is past. Times of these two may be past or not, those of the days between
    /// them are for certain.
    let first, last: Int64

    /// SQL that is true of the days of which each row is past.
    var whole: String { "\(entry) > \(first) AND \(entry) < \(last)" }
    /// SQL that is true of the days of which each row has to be judged.
    var boundary: String { "\(entry) IN (\(first), \(last))" }
}
