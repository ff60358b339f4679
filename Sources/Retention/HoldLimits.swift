/// How much a rule may delete before a person must confirm it. Nothing acts on it yet.
public struct HoldLimits: Hashable, Sendable {
    /// The share of a table, above 0 and at most 1, that a run may delete unconfirmed.
    public var maxShare: Double
    /// Tables with fewer rows than this are never held.
    public var minRows: Int64

    /// Hold a rule that would delete more than `maxShare` of a table of at least `minRows` rows.
    public init(maxShare: Double, minRows: Int64) {
        self.maxShare = maxShare
        self.minRows = minRows
    }

    /// The limits where nothing else is said.
    public static let standard = HoldLimits(maxShare: 0.5, minRows: 1_000)
}
