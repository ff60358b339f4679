import FoundationEssentials
import Retention

extension ProposalText {
    /// The rules: of those that would be refused it is said why, alone or beside one of those before.
    package static func fitting(
        _ rules: [Rule], store: Name, kind: StoreDefinition.Kind, systemTimeZone: Zone
    ) -> [Rule] {
        let refusal = { (rules: [Rule]) -> PolicyFileError? in
            let text = ProposalText(
                store: store, kind: kind, lacksLog: false, rules: rules,
                now: Date(timeIntervalSince1970: 0)
            ).textInForce
            do throws(PolicyFileError) {
                _ = try Configuration(text, file: "the proposal", systemTimeZone: systemTimeZone)
                return nil
            } catch { return error }
        }
        var (all, valid): ([Rule], [Rule]) = ([], [])
        for var rule in rules {
            if rule.misfit != nil {
                all.append(rule)
            } else if let error = refusal([rule]) {
                all.append(rule.refused(because: "\(error.reason) (\(error.hint))"))
            } else {
                if let other = valid.first(where: { rule.readsRows(of: $0) || $0.readsRows(of: rule) }) {
                    rule.conflict =
                        "Not together with the rule on \(other.proposal.table.name): one reads rows that the"
                        + " other deletes."
                } else if let error = refusal(valid + [rule]) {
                    rule.conflict = "Not together with the rules above: \(error.reason)."
                } else {
                    valid.append(rule)
                }
                all.append(rule)
            }
        }
        return all
    }
}

extension ProposalText.Rule {
    fileprivate func readsRows(of other: ProposalText.Rule) -> Bool {
        proposal.protectors.contains(other.proposal.table.name)
    }
}
