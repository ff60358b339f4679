import FoundationEssentials
import Retention

/// The judgement of a row, with the rule and the row's key, as one JSON object.
package struct RowExplanation: JSONObject {
    private let task: PruneTask
    private let key: [String]
    private let judgement: RowJudgement

    package init(_ judgement: RowJudgement, of key: [String], in task: PruneTask) {
        (self.judgement, self.key, self.task) = (judgement, key, task)
    }

    /// The members of the object.
    package var members: [String: any Encodable] {
        [
            "rule": task.rule.name.description, "store": task.rule.store.description,
            "table": task.rule.table,
            "key": key, "verdict": judgement.verdict.rawValue, "value": judgement.value,
            "time": judgement.time,
            "cutoff": task.cutoff, "expires_at": judgement.expiresAt,
            "checks": judgement.checks.map(CheckMembers.init),
            "may_refuse": judgement.refusing.names,
        ]
    }

    private struct CheckMembers: JSONObject {
        let check: RowJudgement.Check

        var members: [String: any Encodable] {
            ["key": check.key, "text": check.text, "allows": check.allows, "finding": check.finding]
        }
    }
}
