import FoundationEssentials

/// What a guard saw of a rule when it held it: what a confirmation of it is bound to.
package struct HeldRule: Codable, Equatable, Sendable {
    /// What the rule says.
    package let rule: RuleText
    /// The share that it may delete, and of how many rows.
    package let limits: String
    /// The store, as a path.
    package let place: String
    /// The day of the cutoff, in the policy's time zone: `2026-10-21`.
    package let cutoffDay: String
    /// The rows that it would delete.
    package var expired: Int64
    /// The rows of its table.
    package var rows: Int64

    /// How the rule differs from what it last ran with, by ``RuleChange/kind``; nil when it does not.
    package let change: String?

    /// What is seen of `rule` in a run with this cutoff.
    package init(
        _ rule: RetentionRule, place: String, cutoff: Date, timeZone: Zone, expired: Int64, rows: Int64,
        change: RuleChange?
    ) {
        self.rule = RuleText(rule)
        limits = "\(rule.holdLimits.maxShare) of \(rule.holdLimits.minRows)"
        self.place = place
        cutoffDay = Self.day(of: cutoff, in: timeZone)
        self.expired = expired
        self.rows = rows
        self.change = change?.kind
    }

    /// What makes it another hold, and not the same one with other numbers: the rule, and how it changed.
    package var kind: String {
        ([change ?? "unchanged"] + rule.settings.map { "\($0.key)=\($0.value)" }.sorted()).joined(
            separator: " ")
    }

    /// Whether it is no more news after `last`: of the same kind, and of the same rows but for a tenth.
    package func isRepeat(of last: HeldRule) -> Bool { kind == last.kind && isNear(last) }

    /// Whether the rows that would go are as many, give or take a tenth of those of `other`.
    func isNear(_ other: HeldRule) -> Bool {
        let (was, now) = (other.expired.magnitude, expired.magnitude)
        return (now > was ? now - was : was - now) <= was / 10
    }

    /// The keys of a state file: they stay.
    enum CodingKeys: String, CodingKey {
        case rule, limits, expired, rows, change
        case place = "store_path"
        case cutoffDay = "cutoff_day"
    }

    /// The day of an instant, in a time zone.
    package static func day(of date: Date, in timeZone: Zone) -> String {
        WallClock(at: date, in: timeZone).date.description
    }
}
