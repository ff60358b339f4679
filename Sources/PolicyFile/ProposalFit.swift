import FoundationEssentials
import Retention

extension ProposalText {
    /// The rules, of which each that is in force fits those before it: what would make the file invalid is a comment.
    package static func fitting(
        _ rules: [Rule], store: Name, kind: StoreDefinition.Kind, systemTimeZone: Zone
    ) -> [Rule] {
        var (all, live): ([Rule], [Rule]) = ([], [])
        for rule in rules {
            guard rule.isLive else {
                all.append(rule)
                continue
            }
            let text = ProposalText(
                store: store, kind: kind, lacksLog: false, rules: live + [rule], others: [],
                now: Date(timeIntervalSince1970: 0)
            ).text
            do throws(PolicyFileError) {
                _ = try Configuration(text, file: "the proposal", systemTimeZone: systemTimeZone)
                live.append(rule)
                all.append(rule)
            } catch {
                all.append(rule.refused(because: "\(error.reason) (\(error.hint))"))
            }
        }
        return all
    }
}
