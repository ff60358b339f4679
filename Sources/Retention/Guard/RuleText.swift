import FoundationEssentials

/// What a rule deletes, as the settings of a configuration file: to be kept in a file, and compared with later.
///
/// How often the rule runs, and when it is held, make it no other rule.
package struct RuleText: Hashable, Sendable {
    /// By the key of the configuration; what the rule does not say is missing.
    package let settings: [String: String]

    /// What `rule` says.
    package init(_ rule: RetentionRule) {
        var settings: [Key: String] = [
            .store: rule.store.description, .table: rule.table, .unit: rule.unit.rawValue,
        ]
        switch rule.expiry {
        case .age(let column, let keep):
            settings[.ageColumn] = column
            settings[.keep] = keep.description
        case .deadline(let column, let grace):
            settings[.expiresColumn] = column
            settings[.grace] = grace?.description
        }
        if !rule.dependents.isEmpty {
            settings[.dependents] = rule.dependents.sorted().joined(separator: ",")
        }
        settings[.keptBy] = rule.keptBy?.description
        settings[.keepLast] = rule.keepLast?.description
        settings[.archiveKeep] = rule.archiveKeep?.description
        self.settings = Dictionary(uniqueKeysWithValues: settings.map { ($0.key.rawValue, $0.value) })
    }

    private enum Key: String {
        case store, table, unit, keep, grace, dependents
        case ageColumn = "age_column"
        case expiresColumn = "expires_column"
        case keptBy = "kept_by"
        case keepLast = "keep_last"
        case archiveKeep = "archive_keep"
    }

    private subscript(key: Key) -> String? { settings[key.rawValue] }

    /// The settings that differ in `other`, by name.
    func differences(from other: RuleText) -> [String] {
        Set(settings.keys).union(other.settings.keys).filter { settings[$0] != other.settings[$0] }.sorted()
    }

    /// Whether it is about the same table of a store of the same name as `rule`; else it is another rule, whatever its name.
    package func isOfTable(of rule: RetentionRule) -> Bool {
        self[.store] == rule.store.description && self[.table] == rule.table
    }

    /// Whether it judges rows of the same table as `rule` by the same column, read in the same unit: a run by another
    /// column has looked at none of the rule's times.
    package func judgesRows(like rule: RetentionRule) -> Bool {
        let other = RuleText(rule)
        return isOfTable(of: rule)
            && [Key.ageColumn, .expiresColumn, .unit].allSatisfy { self[$0] == other[$0] }
    }

    /// `current` with the period and what keeps rows (`kept_by`, `keep_last`) as they stand here, to count what these would delete of the same rows; nil
    /// when more than they differs, or they cannot be read.
    package func applied(to current: RetentionRule) -> RetentionRule? {
        var rule = current
        switch current.expiry {
        case .age(let column, _):
            guard let keep = self[.keep].flatMap({ try? Span(parsing: $0) }) else { return nil }
            rule.expiry = .age(column: column, keep: keep)
        case .deadline(let column, _):
            let grace = self[.grace].flatMap { try? Span(parsing: $0) }
            rule.expiry = .deadline(column: column, grace: grace)
        }
        rule.keptBy = self[.keptBy].flatMap { ColumnReference($0) }
        rule.keepLast = self[.keepLast].flatMap { Int64($0) }
        rule.archiveKeep = self[.archiveKeep].flatMap { try? Span(parsing: $0) }
        return RuleText(rule) == self ? rule : nil
    }
}

extension RuleText: Codable {
    /// Reads the settings as one object of texts.
    package init(from decoder: any Decoder) throws {
        settings = try decoder.singleValueContainer().decode([String: String].self)
    }

    /// Writes the settings as one object of texts.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(settings)
    }
}
