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
    let target: Target
    /// What the value was made of.
    let detail: String
    /// Whether small stores show it as well as large ones.
    let holdsForSmallStores: Bool
    private(set) var verdict: Verdict

    /// `decided`: whether the target is met by what else happened, whatever the figure is.
    /// `holdsForSmallStores`: it is a bound that no store may exceed.
    init(
        _ row: String, _ what: String, _ value: Double, _ target: Target, detail: String,
        decided: Bool? = nil, holdsForSmallStores: Bool = false
    ) {
        (self.row, self.what, self.value) = (row, what, value)
        (self.target, self.detail, self.holdsForSmallStores) = (target, detail, holdsForSmallStores)
        let isMet = decided ?? target.isMet(by: value)
        verdict = target.bound == .none ? .context : isMet ? .met : .missed
    }

    /// The same, found with a small store.
    var ofSmallStore: Finding {
        var finding = self
        if verdict != .context, !holdsForSmallStores { finding.verdict = .notJudged }
        return finding
    }
}

/// What a figure must be.
struct Target: Codable, Equatable, CustomStringConvertible {
    enum Bound: String, Codable {
        case atMost = "<="
        case below = "<"
        case atLeast = ">="
        case none = ""
    }

    let bound: Bound
    let limit: Double
    /// What follows the number: "x A".
    let unit: String

    static func atMost(_ limit: Double, _ unit: String) -> Self { Self(.atMost, limit, unit) }
    static func below(_ limit: Double, _ unit: String) -> Self { Self(.below, limit, unit) }
    static func atLeast(_ limit: Double, _ unit: String) -> Self { Self(.atLeast, limit, unit) }
    /// The figure only helps to understand another.
    static func context(_ unit: String) -> Self { Self(.none, 0, unit) }

    private init(_ bound: Bound, _ limit: Double, _ unit: String) {
        (self.bound, self.limit, self.unit) = (bound, limit, unit)
    }

    /// Whether the figure is what it must be; one that could not be measured is not.
    func isMet(by value: Double) -> Bool {
        switch bound {
        case .atMost: value <= limit
        case .below: value < limit
        case .atLeast: value >= limit
        case .none: true
        }
    }

    var description: String {
        guard bound != .none else { return "" }
        let isWhole = limit == limit.rounded() && unit.first != "x"
        let digits = isWhole ? 0 : limit * 10 == (limit * 10).rounded() && limit >= 1 ? 1 : 2
        return "\(bound.rawValue) \(limit.formatted(digits: digits)) \(unit)"
    }
}

/// The findings as a table in Markdown, aligned to be read as it is.
struct Table: CustomStringConvertible {
    let findings: [Finding]

    private static let heads = ["#", "what", "measured", "target", "", "of"]

    var description: String {
        let rows = findings.map(Self.cells)
        let widths = Self.heads.indices.map { column in
            ([Self.heads] + rows).map { $0[column].count }.max() ?? 0
        }
        let rule = "|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|"
        return ([Self.line(Self.heads, widths), rule] + rows.map { Self.line($0, widths) })
            .joined(separator: "\n") + "\n"
    }

    private static func cells(_ finding: Finding) -> [String] {
        [
            finding.row, finding.what, measured(finding),
            finding.target.description, finding.verdict.rawValue, finding.detail,
        ]
    }

    private static func measured(_ finding: Finding) -> String {
        guard !finding.value.isNaN else { return "nothing" }
        let digits = finding.target.unit.hasPrefix("x ") ? 2 : 1
        return "\(finding.value.formatted(digits: digits)) \(finding.target.unit)"
    }

    private static func line(_ cells: [String], _ widths: [Int]) -> String {
        let padded = zip(cells, widths).map { cell, width in
            cell + String(repeating: " ", count: width - cell.count)
        }
        return "| " + padded.joined(separator: " | ") + " |"
    }
}
