import Retention

/// Why a rule is held, and what to do about it, in words.
struct HoldText {
    let seen: HeldRule
    let limits: HoldLimits
    let table: String
    let change: RuleChange?
    /// How many rows the change adds, where that can be told.
    let added: Int64?
    /// Why what was confirmed is not this.
    let mismatch: Confirmation.Mismatch?
    /// Whether the run was started with a confirmation.
    let isConfirmedNow: Bool
    /// Whether this hold is one that a person can confirm: a dry run leaves none behind.
    let isOnRecord: Bool
    /// Whether it stands in a dry run's own words: nobody need be told to look at what they look at.
    let isPlan: Bool
    /// How to call this program.
    let program: String

    var cause: String {
        let amount =
            "would delete \(seen.expired.grouped) of \(seen.rows.grouped) rows of \(table) (\(share))"
        return [amount, changeText, confirmationText].compactMap(\.self).joined(separator: "; ")
    }

    /// In whole percent, unless that would look as if the limit was kept.
    private var share: String {
        let exact = Double(seen.expired) / Double(seen.rows) * 100
        let (percent, limit) = (exact.rounded(), limits.maxShare * 100)
        guard percent > limit else {
            let isFar = percent == 0 && exact > 2 * limit
            return isFar
                ? "less than 1 %, limit \(limits.maxPercent) %"
                : "just over the limit of \(limits.maxPercent) %"
        }
        return "\(Int64(percent)) %, limit \(limits.maxPercent) %"
    }

    private var changeText: String? {
        change.map { change in
            change.explanation + (added.map { ", which alone adds \($0.grouped) rows" } ?? "")
        }
    }

    private var confirmationText: String? {
        switch mismatch {
        case .rule: "the confirmation was for another rule or store"
        case .day(let day):
            "the confirmation was for a cutoff on \(day); it is now on \(seen.cutoffDay)"
        case .count(let count): "the confirmation was for \(count.grouped) rows"
        case .rest(let left?):
            "\(left.grouped) confirmed rows were left, and these are other rows"
        case .rest(nil): "it is not recorded which confirmed rows were left"
        case nil:
            isConfirmedNow ? "it was not held before, so the confirmation covers no rows" : nil
        }
    }

    func hint(for rule: Name) -> String {
        let confirm = "`\(program) --run-now --confirm \(rule)`"
        if isConfirmedNow { return "to delete these rows, run \(confirm) again" }
        guard isOnRecord else {
            return
                "a run must hold it first: `\(program) --run-now`; to delete these rows, then run \(confirm)"
        }
        let look = isPlan ? "" : "look at it with `\(program) plan`; "
        return look + "to delete these rows, run"
            + " \(confirm), or for the running service `\(program) confirm \(rule)`"
    }
}
