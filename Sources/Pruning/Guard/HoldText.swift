import Retention

/// The text that says why a rule is held and what to do about it.
struct HoldText {
    let seen: HeldRule
    let limits: HoldLimits
    let table: String
    let action: RowAction
    let change: RuleChange?
    /// How many rows the rule's change adds; nil where that is unknown.
    let added: Int64?
    /// Why the confirmation does not cover these rows; nil when it does, or when there is none.
    let mismatch: Confirmation.Mismatch?
    /// Whether the command that started the run confirms the rule.
    let isConfirmedNow: Bool
    /// Whether the hold is recorded, so that a person can confirm it. A dry run records none.
    let isOnRecord: Bool
    /// Whether the text is part of `pruned plan`, and so need not suggest to look at the plan.
    let isPlan: Bool
    /// The command line that calls this program.
    let program: String

    var cause: String {
        let amount =
            "would \(action.infinitive) \(seen.expired.grouped) of \(seen.rows.grouped) rows of \(table) (\(share))"
        return [amount, changeText, confirmationText].compactMap(\.self).joined(separator: "; ")
    }

    /// In whole percent, unless rounding would make the share look within the limit.
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
        if isConfirmedNow { return "to \(action.infinitive) these rows, run \(confirm) again" }
        guard isOnRecord else {
            let run = "\(program) --run-now --rule \(rule)"
            let steps = [
                "1. `\(run)` (holds it, \(action.infinitive)s nothing, exit 3)",
                "2. `\(run) --confirm \(rule)`",
            ]
            return steps.joined(separator: isPlan ? "\n" : "; ")
        }
        let look = isPlan ? "" : "look at it with `\(program) plan`; "
        return look + "to \(action.infinitive) these rows, run"
            + " \(confirm), or for the running service `\(program) confirm \(rule)`"
    }
}
