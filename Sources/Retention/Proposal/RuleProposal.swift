import FoundationEssentials

/// A rule that a person could want on a table, and what there is to know before.
package struct RuleProposal: Equatable, Sendable {
    /// The column that the rule would judge by.
    package struct Time: Equatable, Sendable {
        package let column: ColumnSketch
        package let format: TimeFormat
        /// Whether some times are still to come: then rows would go once theirs has passed.
        package let isAhead: Bool
        package let oldest: Date
        package let newest: Date

        /// The column's times in the rows that were looked at; nil where a row has none.
        func dates(of table: TableSketch) -> [Date?] { column.values.map { format.date(of: $0) } }
    }

    package let table: TableSketch
    package let time: Time
    /// All columns of the table.
    package let columns: [JudgedColumn]
    /// The foreign keys to the table whose rows are its parts and go with its rows.
    package let parts: [ReferenceSketch]
    /// What refers to the table by its values.
    package let references: [ValueReference]
    package let protect: [String]
    /// The tables that ``protect`` reads.
    package let protectors: Set<String>
    package let dependents: [String]
    package let keptBy: [ColumnReference]

    /// `references` are those by values to the table, of `tables`; `covering` are the tables with a foreign key to it that
    /// have rows for nearly all of its rows.
    init(
        table: TableSketch, time: Time, columns: [JudgedColumn], references: [ValueReference],
        covering: Set<String>, tables: [TableSketch]
    ) {
        (self.table, self.time, self.columns, self.references) = (table, time, columns, references)
        let declared = table.references.filter { $0.table != table.name }
        // Rows that nearly each row has are its parts. What only some have may be what a person marked.
        let parts = declared.filter { $0.cascades && (covering.contains($0.table) || !$0.refersToKey) }
        let keepers = declared.filter { reference in
            reference.refersToKey && !parts.contains { $0.table == reference.table }
        }
        let certain = references.filter { !$0.isChance }
        self.parts = parts
        dependents = Set(parts.map(\.table)).subtracting(keepers.map(\.table)).sorted()
        let named = { (references: [(String, String)]) in
            Set(references.map { ColumnReference(table: $0.0, column: $0.1) }).sorted {
                ($0.table, $0.column) < ($1.table, $1.column)
            }
        }
        let referring = named(
            keepers.map { ($0.table, $0.column) }
                + certain.filter { !$0.isKey }.map { ($0.table, $0.column) })
        // What a rule keeps must not depend on what it deletes.
        keptBy = referring.filter { $0.isWritable && $0.table != table.name }
        // A rule's keeper must not be the key of another table, and kept_by has no quotes for names with dots.
        let others =
            referring.filter { !$0.isWritable && $0.table != table.name }
            + named(certain.filter(\.isKey).map { ($0.table, $0.column) })
        let conditions = others.compactMap { reference -> (String, String)? in
            let other = tables.first { $0.name == reference.table }
            guard let key = table.key, let other else { return nil }
            let column = "\(other.rowName).\(reference.column.nameInSQL)"
            let isKept =
                "EXISTS (SELECT 1 FROM \(other.sqlName)"
                + " WHERE \(column) = \(table.rowName).\(key.name.nameInSQL))"
            return (reference.table, isKept)
        }
        protectors = Set(conditions.map(\.0))
        protect = conditions.map(\.1)
    }

    /// The proposed rule. A rule on times to come has no `keep`.
    package func rule(named name: Name, on store: Name, keep: Span) -> RetentionRule {
        RetentionRule(
            name: name, store: store, table: table.name,
            expiry: time.isAhead
                ? .deadline(column: time.column.name, grace: nil)
                : .age(column: time.column.name, keep: keep),
            time: time.format, condition: nil, protect: protect,
            dependents: Set(dependents), keptBy: keptBy,
            archiveKeep: isArchived ? RetentionRule.defaultArchiveKeep : nil)
    }

    /// Whether deleted rows would be archived. The archive takes no dependents, and rows with a deadline come again.
    package var isArchived: Bool { !time.isAhead && dependents.isEmpty }

    /// About how many rows such a rule would delete at `now`, by the rows that were looked at. What other tables keep is
    /// not left out.
    package func estimate(keep: Span, at now: Date, in timeZone: Zone) -> Int64 {
        let expiry =
            time.isAhead
            ? Expiry.deadline(column: "", grace: nil) : .age(column: "", keep: keep)
        return table.estimate(before: expiry.cutoff(at: now, in: timeZone), time.column, time.format)
    }

    /// About how many rows a day the last 30 days have brought, by the rows that were looked at; nil if that is not known.
    package func growth(at now: Date) -> Int64? {
        guard !time.isAhead, !table.spread.isEmpty else { return nil }
        let before = table.estimate(
            before: now.addingTimeInterval(-30 * 86_400), time.column, time.format)
        return (table.rows - before) / 30
    }
}

extension TableSketch {
    /// About how many rows have an earlier time than `cutoff` in a column, by the rows that were looked at.
    package func estimate(before cutoff: Date, _ column: ColumnSketch, _ format: TimeFormat) -> Int64 {
        let rows = spread.filter { column.values.indices.contains($0) }
        guard !rows.isEmpty else { return 0 }
        let old = rows.count { row in format.date(of: column.values[row]).map { $0 < cutoff } ?? false }
        return Int64((Double(old) / Double(rows.count) * Double(self.rows)).rounded())
    }
}

extension Date {
    /// The day in UTC.
    package var day: String {
        let date = CivilDate(daysSince1970: Int64((timeIntervalSince1970 / 86_400).rounded(.down)))
        let two = { (number: Int) in (number < 10 ? "0" : "") + String(number) }
        return "\(date.year)-\(two(date.month))-\(two(date.day))"
    }
}
