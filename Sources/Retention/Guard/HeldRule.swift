import FoundationEssentials

/// What a guard saw of a rule when it held it. A confirmation covers exactly this.
package struct HeldRule: Codable, Equatable, Sendable {
    /// The rule's text.
    package let rule: RuleText
    /// The rule's limits: the share that it may delete, and the number of rows from which that applies.
    package let limits: String
    /// The store's path.
    package let place: String
    /// The day of the cutoff, in the policy's time zone: `2026-10-21`.
    package let cutoffDay: String
    /// The number of rows that it would delete.
    package var expired: Int64
    /// The number of rows of its table.
    package var rows: Int64

    /// Which database and table this was; nil where unknown.
    package let identity: String?
    /// Which rows a person is shown; nil where nobody looked.
    package var shown: Shown?

    /// Rows by which a confirmation is known to be for them.
    package struct Shown: Codable, Equatable, Sendable {
        /// When the run began that held them: by then they had expired.
        package let at: Date
        /// Which rows these are.
        package let rows: RowsFingerprint

        package init(at date: Date, rows: RowsFingerprint) {
            at = date
            self.rows = rows
        }
    }

    /// How the rule differs from its last run, as ``RuleChange/kind``; nil when it does not differ.
    package let change: String?

    /// What a guard sees of `rule` in a run with this cutoff.
    package init(
        _ rule: RetentionRule, place: String, cutoff: Date, timeZone: Zone, expired: Int64, rows: Int64,
        change: RuleChange?, identity: String? = nil
    ) {
        self.rule = RuleText(rule)
        limits = "\(rule.holdLimits.maxShare) of \(rule.holdLimits.minRows)"
        self.place = place
        cutoffDay = Self.day(of: cutoff, in: timeZone)
        self.expired = expired
        self.rows = rows
        self.change = change?.kind
        self.identity = identity
    }

    /// Identifies the kind of hold by the rule's text and its change. Holds that differ only in their counts have the
    /// same kind.
    package var kind: String {
        ([change ?? "unchanged"] + rule.settings.map { "\($0.key)=\($0.value)" }.sorted()).joined(
            separator: " ")
    }

    /// Whether this repeats `last`: the kind is the same, what a person was shown is still there, and the count of rows
    /// differs by at most a tenth.
    package func isRepeat(of last: HeldRule) -> Bool {
        kind == last.kind && isOfSameRows(as: last) && isNear(last)
    }

    /// Whether a person was shown the same rows of the same table, as far as that is recorded. The times do not count:
    /// the ledger rounds them to microseconds.
    package func isOfSameRows(as other: HeldRule) -> Bool {
        shown?.rows == other.shown?.rows && identity == other.identity
    }

    /// Whether the count of expired rows differs from that of `other` by at most a tenth.
    func isNear(_ other: HeldRule) -> Bool {
        let (was, now) = (other.expired.magnitude, expired.magnitude)
        return (now > was ? now - was : was - now) <= was / 10
    }

    /// The keys of a state file, which must not change.
    enum CodingKeys: String, CodingKey {
        case rule, limits, expired, rows, change, identity, shown
        case place = "store_path"
        case cutoffDay = "cutoff_day"
    }

    /// The day of `date` in a time zone, such as `2026-10-21`.
    package static func day(of date: Date, in timeZone: Zone) -> String {
        WallClock(at: date, in: timeZone).date.description
    }
}
