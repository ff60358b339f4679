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
        case .rule: "what was confirmed was another rule, or on another store"
        case .day(let day):
            "what was confirmed was to go for a cutoff on \(day), and now it is on \(seen.cutoffDay)"
        case .count(let count): "what was confirmed were \(count.grouped) rows"
        case .rest(let left?):
            "of what was confirmed \(left.grouped) rows were left, and these are not the same"
        case .rest(nil): "nobody knows which rows were left of what was confirmed"
        case nil:
            isConfirmedNow ? "it was not held before, so nobody can have seen what it would delete" : nil
        }
    }

    func hint(for rule: Name) -> String {
        let confirm = "`\(program) --run-now --confirm \(rule)`"
        if isConfirmedNow { return "if these rows are meant to go, say \(confirm) once more" }
        guard isOnRecord else {
            return "a run holds it, as `\(program) --run-now` would; if these rows are meant to go,"
                + " after that \(confirm)"
        }
        let look = isPlan ? "" : "look at it with `\(program) plan`; "
        return look + "if these rows are meant to go,"
            + " \(confirm), or for the running service `\(program) confirm \(rule)`"
    }
}
