/// The keys that a kind of table of a configuration file may have. Any other key is an error.
package protocol PolicyKey: RawRepresentable<String>, CaseIterable, Sendable {}

/// The keys of `[rule.NAME]`.
package enum RuleKey: String, PolicyKey {
    case store
    case table
    case ageColumn = "age_column"
    case expiresColumn = "expires_column"
    case unit
    case keep
    case grace
    case every
    case dependents
    case keptBy = "kept_by"
    case keepLast = "keep_last"
    case sourceWindow = "source_window"
    case archive
    case archiveKeep = "archive_keep"
    case quiet
    case `guard`
}

/// The value of a key.
package enum SettingValue: Equatable, Sendable {
    case text(String)
    case texts([String])
    case count(Int64)
    case flag(Bool)
}

extension RetentionRule {
    /// The rule's settings in a configuration file, in the order of the file, without its limits. Settings that the
    /// rule lacks are missing.
    package var settings: [(key: RuleKey, value: SettingValue)] {
        let lines: [(key: RuleKey, value: SettingValue?)] = [
            (.store, .described(store)),
            (.table, .text(table)),
            (expiry.keys.column, .text(expiry.column)),
            (.unit, .text(unit.rawValue)),
            (expiry.keys.period, .described(expiry.period)),
            (.every, .described(every)),
            (.dependents, dependents.isEmpty ? nil : .texts(dependents.sorted())),
            (.keptBy, .described(keptBy)),
            (.keepLast, keepLast.map(SettingValue.count)),
            (.sourceWindow, .described(sourceWindow)),
            (.archive, archiveKeep == nil ? nil : .flag(true)),
            (.archiveKeep, .described(archiveKeep)),
            (.quiet, isQuiet ? .flag(true) : nil),
        ]
        return lines.compactMap { line in line.value.map { (line.key, $0) } }
    }
}

extension Expiry {
    /// How long a row stays after its time; nil when it does not.
    var period: Span? {
        switch self {
        case .age(_, let keep): keep
        case .deadline(_, let grace): grace
        }
    }

    /// The configuration keys of ``column`` and ``period``.
    var keys: (column: RuleKey, period: RuleKey) {
        switch self {
        case .age: (.ageColumn, .keep)
        case .deadline: (.expiresColumn, .grace)
        }
    }
}

extension SettingValue? {
    fileprivate static func described(_ value: (some CustomStringConvertible)?) -> SettingValue? {
        value.map { SettingValue.text($0.description) }
    }
}
