/// The rows that the next batch looks at, and what was found of them before it has the lock.
struct ChosenSlice {
    let slice: Slice
    /// As of this data version.
    let dataVersion: Int64
    /// Whether the keeper keeps none of the slice's rows.
    let keepsNone: Bool
}
