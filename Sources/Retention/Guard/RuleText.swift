/// What a rule deletes, as the settings of a configuration file. It is stored, and compared with later versions of the
/// rule.
///
/// How often the rule runs and when it is held are not part of it.
package struct RuleText: Hashable, Sendable {
    /// The settings by configuration key. Settings that the rule lacks are missing.
    package let settings: [String: String]

    package init(_ rule: RetentionRule) {
        let said = rule.settings.filter { !Self.others.contains($0.key) }
        settings = Dictionary(uniqueKeysWithValues: said.map { ($0.key.rawValue, $0.value.text) })
    }

    /// The settings that do not make it a different rule. `archive` is among them because `archive_keep` implies it, and
    /// `partitions` because the same rows go.
    private static let others: Set<RuleKey> = [
        .every, .between, .maxRun, .sourceWindow, .archive, .quiet, .partitions,
    ]

    private subscript(key: RuleKey) -> String? { settings[key.rawValue] }

    /// The settings that differ in `other`, by name.
    func differences(from other: RuleText) -> [String] {
        Set(settings.keys).union(other.settings.keys).filter { settings[$0] != other.settings[$0] }.sorted()
    }

    /// Whether it is for the same table and store name as `rule`. Otherwise it is a different rule, even if the names
    /// are equal.
    package func isOfTable(of rule: RetentionRule) -> Bool {
        self[.store] == rule.store.description && self[.table] == rule.table
    }

    /// Whether it judges the rows of the same table by the same column and unit as `rule`. A run by another column has
    /// not looked at the rule's times.
    package func judgesRows(like rule: RetentionRule) -> Bool {
        let other = RuleText(rule)
        return isOfTable(of: rule)
            && [RuleKey.ageColumn, .expiresColumn, .unit, .epoch, .columnZone].allSatisfy {
                self[$0] == other[$0]
            }
    }

    /// `current` with the period, `kept_by`, `keep_last` and archive period of this text. It serves to count what the
    /// earlier rule would delete. Nil when other settings differ too, or when these cannot be parsed.
    package func applied(to current: RetentionRule) -> RetentionRule? {
        var rule = current
        switch current.expiry {
        case .age(let column, _):
            guard let keep = self[.keep].flatMap({ try? Span(parsing: $0) }) else { return nil }
            rule.expiry = .age(column: column, keep: keep)
        case .deadline(let column, _):
            let grace = self[.grace].flatMap { try? Span(parsing: $0) }
            rule.expiry = .deadline(column: column, grace: grace)
        case .orphan: break
        }
        rule.keptBy = (self[.keptBy] ?? "").split(separator: ",").compactMap {
            ColumnReference(String($0))
        }
        rule.keepLast = self[.keepLast].flatMap { Int64($0) }
        rule.archiveKeep = self[.archiveKeep].flatMap { try? Span(parsing: $0) }
        return RuleText(rule) == self ? rule : nil
    }
}

extension RuleText: Codable {
    /// Decodes the settings from an object with text values.
    package init(from decoder: any Decoder) throws {
        settings = try decoder.singleValueContainer().decode([String: String].self)
    }

    /// Encodes the settings as an object with text values.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(settings)
    }
}

extension SettingValue {
    fileprivate var text: String {
        switch self {
        case .text(let text): text
        case .texts(let texts): texts.joined(separator: ",")
        case .list(let values): values.map(\.text).joined(separator: ",")
        case .count(let count): "\(count)"
        case .number(let number): "\(number)"
        case .flag(let flag): "\(flag)"
        case .table(let entries):
            "{" + entries.map { "\($0.key)=\($0.value.text)" }.joined(separator: ";") + "}"
        }
    }
}
