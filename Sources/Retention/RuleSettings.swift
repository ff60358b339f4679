/// The keys that a kind of table of a configuration file may have. Any other key is an error.
package protocol PolicyKey: RawRepresentable<String>, CaseIterable, Sendable {
    /// What to write instead of the key `name`, which older versions had in the table at `path`; nil for any other name.
    static func successor(of name: String, in path: [String]) -> String?
}

extension PolicyKey {
    package static func successor(of name: String, in path: [String]) -> String? { nil }
}

/// The keys of `[rule.NAME]`.
package enum RuleKey: String, PolicyKey {
    case store
    case table
    case ageColumn = "age_column"
    case expiresColumn = "expires_column"
    case unit
    case epoch
    case columnZone = "column_zone"
    case keep
    case grace
    case every
    case between
    case maxRun = "max_run"
    case `where`
    case protect
    case dependents
    case detach
    case keptBy = "kept_by"
    case orphansOf = "orphans_of"
    case keepLast = "keep_last"
    case keepLastPer = "keep_last_per"
    case action
    case tombstone
    case identity
    case sourceWindow = "source_window"
    case archive
    case archiveKeep = "archive_keep"
    case quiet
    case partitions
    case `guard`
}

/// The keys of a rule's `action`.
package enum ActionKey: String, PolicyKey {
    case set
}

/// The keys of one of a rule's `dependents` that names a column.
package enum DependentKey: String, PolicyKey {
    case table
    case column
}

/// The keys of a rule's `orphans_of`.
package enum OrphanKey: String, PolicyKey {
    case column
    case key
}

/// The keys of a rule's `tombstone`.
package enum TombstoneKey: String, PolicyKey {
    case table
    case columns
    case `where`
}

/// The value of a key.
package enum SettingValue: Equatable, Sendable {
    case text(String)
    case texts([String])
    case list([SettingValue])
    case count(Int64)
    case number(Double)
    case flag(Bool)
    case table([Entry])

    /// A key of a table, and its value.
    package struct Entry: Equatable, Sendable {
        package let key: String
        package let value: SettingValue

        init(_ key: some RawRepresentable<String>, _ value: SettingValue) {
            self.init(key.rawValue, value)
        }

        init(_ key: String, _ value: SettingValue) {
            (self.key, self.value) = (key, value)
        }
    }

    /// One text alone, several as an array.
    fileprivate static func list(_ texts: [String]) -> SettingValue? {
        texts.count > 1 ? .texts(texts) : texts.first.map(SettingValue.text)
    }
}

extension RetentionRule {
    /// The rule's settings in a configuration file, in the order of the file, without its limits. Settings that the
    /// rule lacks are missing.
    package var settings: [(key: RuleKey, value: SettingValue)] {
        let lines: [(key: RuleKey, value: SettingValue?)] = [
            (.store, .described(store)),
            (.table, .text(table)),
            (expiry.keys?.column ?? .ageColumn, expiry.column.map(SettingValue.text)),
            (.unit, expiry.column == nil ? nil : .text(time.unit.rawValue)),
            (.epoch, time.saidEpoch.map { .text($0.rawValue) }),
            (.columnZone, time.zone.map { .text($0.identifier) }),
            (expiry.keys?.period ?? .keep, .described(expiry.period)),
            (.every, .described(every)),
            (.between, .described(between)),
            (.maxRun, .described(maxRun)),
            (.where, condition.map(SettingValue.text)),
            (.protect, .list(protect)),
            (.dependents, dependentsSetting),
            (.detach, .list(detach.map(\.description))),
            (.keptBy, .list(keptBy.map(\.description))),
            (.orphansOf, orphansOf?.setting),
            (.keepLast, keepLast.map(SettingValue.count)),
            (.keepLastPer, .list(keepLastPer)),
            (.action, action.setting),
            (.tombstone, tombstone?.setting),
            (.identity, .list(identity)),
            (.sourceWindow, .described(sourceWindow)),
            (.archive, archiveKeep == nil ? nil : .flag(true)),
            (.archiveKeep, .described(archiveKeep)),
            (.quiet, isQuiet ? .flag(true) : nil),
            (.partitions, partitions.map { .text($0.rawValue) }),
        ]
        return lines.compactMap { line in line.value.map { (line.key, $0) } }
    }
}

extension RetentionRule {
    private var dependentsSetting: SettingValue? {
        let byKey = dependents.subtracting(dependentColumns.map(\.table)).sorted()
        let byColumn = dependentColumns.map { column in
            SettingValue.table([
                .init(DependentKey.table, .text(column.table)),
                .init(DependentKey.column, .text(column.column)),
            ])
        }
        guard !byColumn.isEmpty else { return byKey.isEmpty ? nil : .texts(byKey) }
        return .list(byKey.map(SettingValue.text) + byColumn)
    }
}

extension Expiry {
    /// How long a row stays after its time; nil when it does not.
    var period: Span? {
        switch self {
        case .age(_, let keep): keep
        case .deadline(_, let grace): grace
        case .orphan: nil
        }
    }

    /// The configuration keys of ``column`` and ``period``.
    package var keys: (column: RuleKey, period: RuleKey)? {
        switch self {
        case .age: (.ageColumn, .keep)
        case .deadline: (.expiresColumn, .grace)
        case .orphan: nil
        }
    }
}

extension OwnerReference {
    fileprivate var setting: SettingValue {
        .table([.init(OrphanKey.column, .text(column)), .init(OrphanKey.key, .text(key.description))])
    }
}

extension RowAction {
    fileprivate var setting: SettingValue? {
        guard case .mark(let columns) = self else { return nil }
        return .table([.init(ActionKey.set, .table(columns.map { .init($0.column, $0.value.setting) }))])
    }
}

extension ColumnConstant {
    fileprivate var setting: SettingValue {
        switch self {
        case .integer(let value): .count(value)
        case .real(let value): .number(value)
        case .text(let value): .text(value)
        }
    }
}

extension Tombstone {
    fileprivate var setting: SettingValue {
        let entries: [SettingValue.Entry?] = [
            .init(TombstoneKey.table, .text(table)),
            .init(TombstoneKey.columns, .table(columns.map { .init($0.column, .text($0.source)) })),
            condition.map { .init(TombstoneKey.where, .text($0)) },
        ]
        return .table(entries.compactMap(\.self))
    }
}

extension SettingValue? {
    fileprivate static func described(_ value: (some CustomStringConvertible)?) -> SettingValue? {
        value.map { SettingValue.text($0.description) }
    }
}
