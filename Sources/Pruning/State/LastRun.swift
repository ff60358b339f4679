import FoundationEssentials
import Retention

/// When a rule last ran to its end, and what it said then.
package struct LastRun: Equatable, Sendable {
    /// When that run began.
    package let date: Date
    /// What the rule said; nil when that was not kept, by an older version.
    package let rule: RuleText?
    /// Where the store was, see ``StorePlace``; nil when that was not kept, by an older version.
    package let place: String?
    /// The rows of its table that it deleted; nil when that was not kept.
    package let deleted: Int64?
    /// The rows of other tables that went with them; nil when that was not kept.
    package let dependentsDeleted: Int64?
    /// How long it took; nil when that was not kept.
    package let took: Duration?

    /// See the properties; `report` is what the run says of the rule.
    package init(date: Date, rule: RuleText?, place: String? = nil, report: RuleReport? = nil) {
        self.date = date
        self.rule = rule
        self.place = place
        deleted = report?.deleted
        dependentsDeleted = report?.dependentsDeleted
        // As the file has it.
        took = report.map { .milliseconds($0.duration.milliseconds) }
    }

    /// Whether it was a run of `rule` on the store at `place`, and not of another rule that had its name. What was not kept
    /// says nothing against that.
    package func isOf(_ rule: RetentionRule, at place: String?) -> Bool {
        let isSameStore = self.place == nil || place == nil || self.place == place
        return isSameStore && self.rule.map { $0.isOfTable(of: rule) } ?? true
    }

    /// Whether the next run of `rule` waits for its interval after this one: not where the rule judged rows by another time.
    package func counts(for rule: RetentionRule, at place: String?) -> Bool {
        isOf(rule, at: place) && self.rule.map { $0.judgesRows(like: rule) } ?? true
    }
}

extension LastRun: Codable {
    private enum CodingKeys: String, CodingKey {
        case date = "unix_time"
        case rule, deleted
        case place = "store_path"
        case dependentsDeleted = "dependents_deleted"
        case durationMilliseconds = "duration_ms"
    }

    /// Reads an object, or the bare seconds that an older version wrote.
    package init(from decoder: any Decoder) throws {
        if let seconds = try? decoder.singleValueContainer().decode(Double.self) {
            self.init(date: Date(timeIntervalSince1970: seconds), rule: nil)
            return
        }
        try self.init(container: decoder.container(keyedBy: CodingKeys.self))
    }

    private init(container: KeyedDecodingContainer<CodingKeys>) throws {
        date = Date(timeIntervalSince1970: try container.decode(Double.self, forKey: .date))
        rule = try container.decodeIfPresent(RuleText.self, forKey: .rule)
        place = try container.decodeIfPresent(String.self, forKey: .place)
        deleted = try container.decodeIfPresent(Int64.self, forKey: .deleted)
        dependentsDeleted = try container.decodeIfPresent(Int64.self, forKey: .dependentsDeleted)
        took = try container.decodeIfPresent(Double.self, forKey: .durationMilliseconds).map {
            .milliseconds($0)
        }
    }

    /// Writes an object.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(date.timeIntervalSince1970, forKey: .date)
        try container.encodeIfPresent(rule, forKey: .rule)
        try container.encodeIfPresent(place, forKey: .place)
        try container.encodeIfPresent(deleted, forKey: .deleted)
        try container.encodeIfPresent(dependentsDeleted, forKey: .dependentsDeleted)
        try container.encodeIfPresent(took?.milliseconds, forKey: .durationMilliseconds)
    }
}
