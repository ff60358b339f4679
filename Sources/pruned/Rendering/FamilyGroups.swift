import Pruning
import Retention

extension Name {
    /// The name of a store, or of one of its rules, as it is for all of the store's family: `freshrss/*-articles`.
    func general(of store: Name) -> String {
        store.family.map { description.replacing("\(store)", with: "\($0)/*") } ?? description
    }
}

extension RuleStatus {
    /// The text as it is for all stores of the family.
    func general(_ text: String) -> String {
        guard let store, let family = Name(store)?.family else { return text }
        return text.replacing(store, with: "\(family)/*")
    }
}

extension Array {
    /// The elements, with those together of which `key` is the same; where the first of them is.
    func grouped<Key: Hashable>(by key: (Element) -> Key) -> [[Element]] {
        var places: [Key: Int] = [:]
        return reduce(into: []) { groups, element in
            let key = key(element)
            if let place = places[key] { return groups[place].append(element) }
            places[key] = groups.count
            groups.append([element])
        }
    }
}

extension CheckFinding {
    /// The findings, with one for all stores of a family of which the same was found.
    static func byFamily(_ findings: [CheckFinding]) -> [CheckFinding] {
        findings.grouped { finding in
            [finding.general(finding.name), finding.verdict.rawValue, finding.general(finding.detail)]
                + finding.remarks.map(finding.general)
                + (finding.failure?.messages ?? []).map { finding.general($0.what + ($0.hint ?? "")) }
        }.map { group in
            guard group.count > 1 else { return group[0] }
            var finding = group[0]
            finding.name = finding.general(finding.name)
            finding.detail =
                finding.general(finding.detail)
                + (finding.subject == .store ? " (\(group.count.counted("store")))" : "")
            finding.remarks = finding.remarks.map(finding.general)
            return finding
        }
    }

    /// The text as it is for all of the family.
    private func general(_ text: String) -> String {
        guard let member, let family = member.store.family else { return text }
        return text.replacing(member.place, with: member.pattern).replacing(
            "\(member.store)", with: "\(family)/*")
    }
}
