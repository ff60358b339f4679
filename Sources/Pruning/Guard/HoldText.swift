import FoundationEssentials
import Retention

/// The text that says why a rule is held and what to do about it.
struct HoldText {
    let seen: HeldRule
    let limits: HoldLimits
    /// How new the rows are, if the rule is held for that and not for its share.
    let recency: Recency?
    let timeZone: Zone
    let table: String
    let action: RowAction
    let change: RuleChange?
    /// How many rows the rule's change adds; nil where that is unknown.
    let added: Int64?
    /// Why the confirmation does not cover these rows; nil when it does, or when there is none.
    let mismatch: Hold.Mismatch?
    /// Whether the command that started the run confirms the rule.
    let isConfirmedNow: Bool
    /// Whether the hold is recorded, so that a person can confirm it. A dry run records none.
    let isOnRecord: Bool
    /// Whether the text is part of `pruned plan`, and so need not suggest to look at the plan.
    let isPlan: Bool
    /// The command line that calls this program.
    let program: String

    var cause: String {
        let amount = recency.map(newest) ?? "would \(action.infinitive) \(rows) rows of \(table) (\(share))"
        return [amount, changeText, confirmationText].compactMap(\.self).joined(separator: "; ")
    }

    private var rows: String { "\(seen.expired.grouped) of \(seen.rows.grouped)" }

    /// A rule that reads times wrongly takes the newest rows as well, so their date says most.
    private func newest(_ recency: Recency) -> String {
        let day = HeldRule.day(of: recency.newestExpired, in: timeZone)
        if seen.expired == seen.rows {
            let all = seen.rows == 1 ? "the only row" : "all \(seen.rows.grouped) rows"
            return "would \(action.infinitive) \(all) of \(table), the newest from \(day)"
        }
        let newer =
            switch recency.newer {
            case 0: "none has a newer time"
            case 1: "only 1 row is newer"
            case let count: "only \(count.grouped) rows are newer"
            }
        return "would \(action.infinitive) \(rows) rows of \(table), the newest from \(day), and \(newer)"
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
        case .identity: "the confirmation was for another database or table in this place"
        case .rows: "the confirmation was for other rows"
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
            let steps = [
                "to \(action.infinitive) these rows, once: `\(program) confirm \(rule)`",
                "without a service, then `\(program) --run-now --rule \(rule)`",
            ]
            return steps.joined(separator: isPlan ? "\n" : "; ")
        }
        let look = isPlan ? "" : "look at it with `\(program) plan`; "
        return look + "to \(action.infinitive) these rows, run"
            + " \(confirm), or for the running service `\(program) confirm \(rule)`"
    }
}
