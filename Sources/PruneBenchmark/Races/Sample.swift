/// One run.
struct Sample: Codable {
    let usage: Usage
    /// What pruned says of it; nil for others.
    let report: RuleFigures?
    /// What pruned says of the space that it gave back; nil for others, and where none was to be.
    let reclaim: ReclaimFigures?
    /// How long the app waited; nil where there was none.
    let app: AppWaits?
    /// The longest that the write-ahead log was; nil where nobody looked.
    let longestLogBytes: Int64?
    /// The file after the run, and its log if there is one.
    let fileBytes: Int64
    /// The same after a VACUUM of a copy; nil where nobody looked.
    let vacuumedBytes: Int64?
}
