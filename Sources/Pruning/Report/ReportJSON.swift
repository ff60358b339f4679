import FoundationEssentials
import Retention

extension PruneReport: JSONObject {
    package var members: [String: any Encodable] {
        [
            "run_id": runID.description,
            "started_at": startedAt,
            "duration_ms": duration.milliseconds,
            "dry_run": dryRun,
            "outcome": outcome,
            "rules": rules,
            "reclaimed": reclaims,
            "remarks": remarks,
            "sizes": sizes,
        ]
    }
}

extension StoreRemark: JSONObject {
    package var members: [String: any Encodable] { ["store": store.description, "text": text] }
}

extension RuleReport: Encodable {
    /// The members that the history records, with null for unknown values, and the forecast in a plan.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: RuleRecord.CodingKeys.self)
        for key in RuleRecord.CodingKeys.allCases { try container.encodeNil(forKey: key) }
        try RuleRecord(self).encode(to: encoder)
        try forecast?.encode(to: encoder)
    }
}

extension ReclaimReport: Encodable {
    /// The members that the history records, with null for unknown values.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ReclaimRecord.CodingKeys.self)
        for key in ReclaimRecord.CodingKeys.allCases { try container.encodeNil(forKey: key) }
        try ReclaimRecord(self).encode(to: encoder)
    }
}

extension Forecast: JSONObject {
    /// Merged into the members of the rule's report.
    package var members: [String: any Encodable] {
        [
            "rows": ages.rows,
            "dependents_expired": ages.dependents,
            "oldest_expired": ages.oldestExpired,
            "newest_expired": ages.newestExpired,
            "may_refuse": ages.refusing.names,
            "next_expiry": nextExpiry,
            "stays": stays,
            "histogram": histogram.bars,
        ]
    }
}

extension Forecast.Staying: JSONObject {
    package var members: [String: any Encodable] { ["key": key, "text": text, "rows": rows] }
}

extension Histogram.Bar: JSONObject {
    package var members: [String: any Encodable] { ["from": from, "to": to, "rows": rows] }
}

extension RestoreReport: JSONObject {
    package var members: [String: any Encodable] {
        let all = RestoreSkip.allCases.map { ($0.rawValue, progress.skipped[$0] ?? 0) }
        return [
            "rule": part.rule.description,
            "store": part.store.description,
            "table": part.table,
            "outcome": progress.outcome,
            "archived": part.rows,
            "restored": progress.restored,
            "skipped": Dictionary(uniqueKeysWithValues: all),
            "reason": progress.failure?.reason,
            "hint": progress.failure?.hint,
        ]
    }
}

extension Date {
    /// For example `2026-11-20T12:00:00Z`.
    package var iso8601: String { formatted(.iso8601) }
}

extension Duration {
    /// In milliseconds, rounded to a tenth.
    package var milliseconds: Double { (self / .microseconds(100)).rounded() / 10 }
    /// In seconds.
    package var seconds: Double { self / .seconds(1) }
}
