import Retention

/// A key and its value, as on a line of a configuration file.
typealias PolicyLine = (key: String, value: TOMLValue)

extension RetentionPolicy {
    /// The lines of `[batch]`.
    var batchLines: [PolicyLine] {
        let milliseconds = Int64((lockTime / .milliseconds(1)).rounded())
        return [
            (BatchKey.lockTime.rawValue, .string(Span(milliseconds, .millisecond).description)),
            (BatchKey.workers.rawValue, .integer(Int64(workers))),
        ]
    }

    /// The lines of `[archive]`.
    var archiveLines: [PolicyLine] {
        let sizes: [(ArchiveKey, ByteCount?)] = [
            (.maxSize, archiveLimit.size), (.maxTotal, archiveLimit.total),
        ]
        return sizes.compactMap { key, size in size.map { (key.rawValue, .string($0.description)) } }
    }
}

extension HoldLimits {
    /// The lines of a `guard` table.
    var lines: [PolicyLine] {
        [(GuardKey.maxShare.rawValue, .float(maxShare)), (GuardKey.minRows.rawValue, .integer(minRows))]
    }
}

extension StoreDefinition {
    /// The lines of the store's table, without the schemas of its gate, and without secrets.
    var lines: [PolicyLine] {
        let place: PolicyLine =
            switch kind {
            case .sqlite(let path):
                ((family == nil ? StoreKey.path : .paths).rawValue, .string(path))
            case .postgresql(let connection), .mariadb(let connection):
                (StoreKey.url.rawValue, .string(connection.redacted))
            }
        let others: [(StoreKey, TOMLValue?)] = [
            (
                .prefixes,
                family.flatMap { if case .prefixes(let pattern) = $0 { .string("\(pattern)") } else { nil } }
            ),
            (
                .schemas,
                family.flatMap { if case .schemas(let pattern) = $0 { .string("\(pattern)") } else { nil } }
            ),
            (.maxLag, maxLag.map { .string($0.description) }),
            (.maxSlotLog, maxSlotLog.map { .string($0.description) }),
            (.maxRowsPerSecond, maxRowsPerSecond.map { .integer(Int64($0)) }),
            (.quiet, isQuiet ? .bool(true) : nil),
            (.preset, preset.map { .string($0.description) }),
            (.acceptColumns, gate.flatMap { TOMLValue(names: $0.acceptedColumns) }),
            (.skipWhileLocked, skipWhileLocked.map { .string($0) }),
            (.triggers, gate.flatMap { TOMLValue(names: $0.triggers) }),
        ]
        return [place, (StoreKey.reclaim.rawValue, .bool(reclaim))]
            + others.compactMap { key, value in value.map { (key.rawValue, $0) } }
    }

    /// The lines of the store's table.
    var allLines: [PolicyLine] {
        let schemas = gate?.known.map { known in
            TOMLValue.table(
                TOMLTable([
                    (SchemaKey.versions.rawValue, .string(known.versions)),
                    (SchemaKey.tables.rawValue, .string(known.schema.text)),
                ]))
        }
        return lines + (schemas.map { [(StoreKey.schema.rawValue, .array($0))] } ?? [])
    }
}

extension TOMLValue {
    /// Nil if there are no names.
    fileprivate init?(names: Set<String>) {
        guard !names.isEmpty else { return nil }
        self = .array(names.sorted().map(TOMLValue.string))
    }
}

extension RetentionRule {
    /// The lines of the rule's table, without its limits.
    var lines: [PolicyLine] { settings.map { ($0.key.rawValue, TOMLValue($0.value)) } }

    /// The lines of the rule's table, with its limits where they differ from the standard, and with `quiet = false`
    /// where its store is quiet.
    func lines(on stores: [StoreDefinition]) -> [PolicyLine] {
        var lines = lines
        if !isQuiet, stores.contains(where: { $0.name == store && $0.isQuiet }) {
            lines.append((RuleKey.quiet.rawValue, .bool(false)))
        }
        if holdLimits != .standard.inherited(by: expiry) {
            lines.append((RuleKey.guard.rawValue, .table(TOMLTable(holdLimits.lines))))
        }
        return lines
    }
}

extension ParsedFile {
    /// The built-in policy in the form of a parsed file, without a time zone.
    init(_ policy: RetentionPolicy, file: String, name: String) {
        let stores: [PolicyLine] = policy.stores.map {
            ($0.name.description, .table(TOMLTable($0.allLines)))
        }
        let rules: [PolicyLine] = policy.rules.map {
            ($0.name.description, .table(TOMLTable($0.lines(on: policy.stores))))
        }
        let tables: [(FileKey, [PolicyLine])] = [
            (.guard, HoldLimits.standard.lines), (.batch, policy.batchLines),
            (.archive, policy.archiveLines), (.store, stores), (.rule, rules),
        ]
        let lines: [PolicyLine] = tables.map { ($0.0.rawValue, .table(TOMLTable($0.1))) }
        self.init(table: TOMLTable(lines), file: file, name: name)
    }
}

extension TOMLValue {
    fileprivate init(_ value: SettingValue) {
        self =
            switch value {
            case .text(let text): .string(text)
            case .texts(let texts): .array(texts.map(TOMLValue.string))
            case .list(let values): .array(values.map { TOMLValue($0) })
            case .count(let count): .integer(count)
            case .number(let number): .float(number)
            case .flag(let flag): .bool(flag)
            case .table(let entries): .table(TOMLTable(entries.map { ($0.key, TOMLValue($0.value)) }))
            }
    }
}
