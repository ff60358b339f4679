import FoundationEssentials
import Pruning
import Retention
import TerminalText

/// The judgement of a row for a person.
struct JudgementText: CustomStringConvertible {
    let description: String

    init(_ judgement: RowJudgement, of key: [String], in task: PruneTask, style: TextStyle) {
        let rule = task.rule
        func local(_ judgement: RowJudgement) -> [(String, String)] {
            var facts = [("rule", rule.explanation)]
            if let value = judgement.value {
                facts.append(("time", "\(rule.expiry.column ?? "") = " + Self.time(value, judgement, task)))
                facts.append(("cutoff", task.cutoff.local(in: task.timeZone)))
            }
            return facts
        }
        let facts = local(judgement)
        let checks = judgement.checks.map { check -> (String, String) in
            if check.key == Self.leaseKey {
                return (check.allows ? "goes" : "stays", Self.local(check.finding, task))
            }
            let isTooYoung = !check.allows && Self.ageKeys.contains(check.key)
            let end = isTooYoung ? Self.until(judgement, task) : ""
            return (check.allows ? "goes" : "stays", "\(check.key) \(check.text): \(check.finding)\(end)")
        }
        let unless = judgement.verdict == .goes ? judgement.refusing.doubt.map { [("unless", $0)] } ?? [] : []
        let lines = (facts + checks + unless).flatMap { name, text in
            text.onOneLine.fitted(to: style.width - Self.indent).enumerated().map { index, line in
                "  " + (index == 0 ? name : "").padded(to: Self.indent - 2) + line
            }
        }
        let name = "\(rule.table) \(key.joined(separator: ", "))".onOneLine
        description = (["\(name): \(Self.verdict(judgement, task))"] + lines).map { $0 + "\n" }.joined()
    }

    private static let indent = 10

    private static func verdict(_ judgement: RowJudgement, _ task: PruneTask) -> String {
        switch judgement.verdict {
        case .goes: "a run would \(task.rule.action.infinitive) it"
        case .done: "stays: it is marked already"
        case .stays:
            "stays" + (onlyTimeKeeps(judgement) ? until(judgement, task) : "")
        }
    }

    /// Whether nothing but the row's age keeps it.
    private static func onlyTimeKeeps(_ judgement: RowJudgement) -> Bool {
        judgement.checks.filter { !$0.allows }.map(\.key).allSatisfy(ageKeys.contains)
    }

    /// The value, and what it means unless it reads so.
    private static func time(_ value: String, _ judgement: RowJudgement, _ task: PruneTask) -> String {
        guard let time = judgement.time?.local(in: task.timeZone) else { return value }
        let text = value.drop { $0 == "'" }.replacing("T", with: " ")
        return text.hasPrefix(time) ? value : "\(value), \(time)"
    }

    /// Of a lease the finding says all.
    private static let leaseKey = "lease"

    /// The text with its instants, such as `2026-11-20T12:00:00Z`, in the time zone of the other times.
    private static func local(_ text: String, _ task: PruneTask) -> String {
        text.replacing(#/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/#) { match in
            let date = try? Date(String(match.output), strategy: .iso8601)
            return date?.local(in: task.timeZone) ?? String(match.output)
        }
    }

    private static let ageKeys: Set = ["keep", "expires_column"]

    private static func until(_ judgement: RowJudgement, _ task: PruneTask) -> String {
        judgement.expiresAt.map { " until \($0.local(in: task.timeZone))" } ?? ""
    }
}
