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

extension Finding {
    /// How long `ours` took, in terms of `peer`; with a limit, it is a target.
    static func ratio(
        _ row: String, _ what: String, _ ours: [Sample], to peer: [Sample], named name: String,
        atMost limit: Double?
    ) -> Finding {
        let value = ours.wall / peer.wall
        let detail =
            "\(ours.wall.formatted(digits: 2)) s : \(peer.wall.formatted(digits: 2)) s, CPU "
            + "\(ours.processor.formatted(digits: 2)) s : \(peer.processor.formatted(digits: 2)) s"
        guard let limit else { return Finding(context: row, what, value, "x \(name)", detail: detail) }
        return Finding(row, what, value, .atMost(limit, "x \(name)"), detail: detail)
    }
}
