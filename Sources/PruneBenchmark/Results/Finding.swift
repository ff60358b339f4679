/// One line of the table: a figure, and what it must be.
struct Finding: Codable, Equatable {
    enum Verdict: String, Codable {
        case met
        case missed = "MISSED"
        /// A small store was measured, which says nothing of the target.
        case notJudged = "not judged"
        /// There is no target: the figure helps to understand another.
        case context = ""
    }

    /// The row of the targets that it belongs to: "2b".
    let row: String
    let what: String
    let value: Double
    /// Of the value.
    let unit: String
    let target: Target?
    /// What the value was made of.
    let detail: String
    /// Whether small stores show it as well as large ones.
    let holdsForSmallStores: Bool
    private(set) var verdict: Verdict

    /// A figure with a target. `decided`: whether the target is met by what else happened, whatever the figure is.
    /// `holdsForSmallStores`: it is a bound that no store may exceed.
    init(
        _ row: String, _ what: String, _ value: Double, _ target: Target, detail: String,
        decided: Bool? = nil, holdsForSmallStores: Bool = false
    ) {
        self.row = row
        self.what = what
        self.value = value
        unit = target.unit
        self.target = target
        self.detail = detail
        self.holdsForSmallStores = holdsForSmallStores
        verdict = decided ?? target.isMet(by: value) ? .met : .missed
    }

    /// A figure without a target.
    init(context row: String, _ what: String, _ value: Double, _ unit: String, detail: String) {
        self.row = row
        self.what = what
        self.value = value
        self.unit = unit
        target = nil
        self.detail = detail
        holdsForSmallStores = false
        verdict = .context
    }

    /// The same, found with a small store.
    var ofSmallStore: Finding {
        var finding = self
        if target != nil, !holdsForSmallStores { finding.verdict = .notJudged }
        return finding
    }
}

/// What a figure must be.
struct Target: Codable, Equatable, CustomStringConvertible {
    enum Bound: String, Codable {
        case atMost = "<="
        case below = "<"
        case atLeast = ">="
    }

    let bound: Bound
    let limit: Double
    /// What follows the number: "x A".
    let unit: String

    static func atMost(_ limit: Double, _ unit: String) -> Self {
        Self(bound: .atMost, limit: limit, unit: unit)
    }
    static func below(_ limit: Double, _ unit: String) -> Self {
        Self(bound: .below, limit: limit, unit: unit)
    }
    static func atLeast(_ limit: Double, _ unit: String) -> Self {
        Self(bound: .atLeast, limit: limit, unit: unit)
    }

    /// Whether the figure is what it must be; one that could not be measured is not.
    func isMet(by value: Double) -> Bool {
        switch bound {
        case .atMost: value <= limit
        case .below: value < limit
        case .atLeast: value >= limit
        }
    }

    var description: String {
        let isWhole = limit == limit.rounded() && unit.first != "x"
        let digits = isWhole ? 0 : limit * 10 == (limit * 10).rounded() && limit >= 1 ? 1 : 2
        return "\(bound.rawValue) \(limit.formatted(digits: digits)) \(unit)"
    }
}
