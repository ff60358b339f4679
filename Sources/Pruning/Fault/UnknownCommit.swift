extension StoreError {
    /// The error of a batch of `rows` whose COMMIT had no answer, when nobody can tell what became of it.
    package static func unknownCommit(of rows: Int64, lost reason: String, at place: String) -> StoreError {
        StoreError(
            .other, operation: "commit a batch", place: place,
            cause:
                "the connection was lost (\(reason)), and it is unknown whether the last batch was committed",
            hint: "its \(rows) rows are not in the count, but may be gone; the next run goes on")
    }
}
