import Retention
import TerminalText

extension RetentionRule {
    /// The rule in `reader`, on one of `stores`. Where it does not set them, its limits are `limits`, and it is quiet
    /// if its store is. `others` are the names of the rules that have a table.
    init(
        name: Name, _ reader: TableReader<RuleKey>, stores: [StoreDefinition], limits: HoldLimits,
        others: [String]
    ) throws(PolicyFileError) {
        guard let table = try reader.string(.table) else {
            // A drop-in file that changes another file's rule need not repeat its table, so a rule without a table may
            // be a misspelt name.
            let meant = others.filter { $0.count > 2 }.nearest(to: name.description)
            throw reader.error(
                "has no table",
                hint: (meant.map { "did you mean \"\($0)\"? If not, " } ?? "")
                    + "name the table whose rows expire: table = \"read_record\"")
        }
        let expiry = try Self.expiry(reader)
        let store = try Self.store(reader, among: stores.map(\.name))
        let definition = stores.first { $0.name == store }
        let format = definition?.format ?? .sqlite
        let dependents = try Self.dependents(reader)
        self.init(
            name: name,
            store: store,
            table: table,
            expiry: expiry,
            time: try TimeFormat(reader, of: expiry, on: format),
            every: try Self.every(reader) ?? Self.defaultEvery,
            condition: try reader.string(.where),
            protect: try reader.stringOrStrings(.protect),
            dependents: Set(dependents.tables + dependents.columns.map(\.table)),
            keptBy: try Self.keptBy(reader),
            keepLast: try Self.keepLast(reader, of: expiry),
            keepLastPer: try Self.keepLastPer(reader),
            action: try RowAction(reader, of: expiry),
            tombstone: try Self.tombstone(reader),
            identity: try Self.identity(reader),
            sourceWindow: try Self.sourceWindow(reader, of: expiry),
            holdLimits: try HoldLimits(
                reader.table(.guard, of: GuardKey.self), over: limits.inherited(by: expiry)),
            archiveKeep: try Self.archiveKeep(reader),
            isQuiet: try reader.bool(.quiet) ?? definition?.isQuiet ?? false)
        dependentColumns = dependents.columns
        detach = try Self.detach(reader)
        orphansOf = try Self.orphansOf(reader)
        partitions = try partitions(reader, on: format)
        (between, maxRun) = (try Self.between(reader), try Self.maxRun(reader))
    }

    private static func dependents(
        _ reader: TableReader<RuleKey>
    ) throws(PolicyFileError) -> (tables: [String], columns: [ColumnReference]) {
        let hint = "write [\"article\", { table = \"status\", column = \"entry_id\" }]"
        let (tables, elements) = try reader.stringsAndElements(
            .dependents, of: DependentKey.self, hint: hint)
        var columns: [ColumnReference] = []
        for element in elements {
            guard let table = try element.string(.table), let column = try element.string(.column) else {
                throw element.error("has no table, or no column with the row's key", hint: hint)
            }
            let reference = ColumnReference(table: table, column: column)
            guard !tables.contains(table), !columns.contains(reference) else {
                throw reader.error(.dependents, "names \(table.quoted) twice", hint: "name it once")
            }
            columns.append(reference)
        }
        return (tables, columns)
    }

    private static func detach(_ reader: TableReader<RuleKey>) throws(PolicyFileError) -> [ColumnReference] {
        let columns = try columns(.detach, reader)
        guard columns.isEmpty || reader.value(.action)?.table == nil else {
            throw reader.error(
                .detach, beside: .action, "belongs to deleting: a marked row can still be referred to",
                hint: "remove detach")
        }
        return columns
    }

    private static func store(
        _ reader: TableReader<RuleKey>, among stores: [Name]
    ) throws(PolicyFileError) -> Name {
        let names = stores.map(\.description)
        guard let text = try reader.string(.store) else {
            guard let only = stores.first else {
                throw reader.error(
                    "has no store", hint: "add a [store.NAME] with the path of the database file")
            }
            guard stores.count == 1 else {
                throw reader.error(
                    "must name its store, as there are several",
                    hint: "store = one of: \(names.joined(separator: ", "))")
            }
            return only
        }
        guard let store = stores.first(where: { $0.description == text }) else {
            let hint = names.nearest(to: text).map { "did you mean \"\($0)\"?" }
            throw reader.error(
                .store, "unknown store",
                hint: hint ?? "add [store.\(text.key)] with the path of the database file")
        }
        return store
    }

    private static func expiry(_ reader: TableReader<RuleKey>) throws(PolicyFileError) -> Expiry {
        let keep = try reader.span(.keep, usualUnit: .day)
        let grace = try reader.span(.grace, usualUnit: .day)
        switch (try reader.string(.ageColumn), try reader.string(.expiresColumn)) {
        case (.some(let column), nil):
            guard grace == nil || keep == nil && reader.value(.orphansOf) != nil else {
                throw reader.error(
                    .grace, beside: .ageColumn, "belongs to expires_column",
                    hint: "with age_column, lengthen keep instead")
            }
            guard let keep = keep ?? grace else {
                throw reader.error("has no keep", hint: "say how old a row may get: keep = \"30d\"")
            }
            return .age(column: column, keep: keep)
        case (nil, .some(let column)):
            guard keep == nil else {
                throw reader.error(
                    .keep, beside: .expiresColumn, "belongs to age_column",
                    hint: "to keep rows past their expiry, write grace instead")
            }
            return .deadline(column: column, grace: grace)
        case (.some, .some):
            throw reader.error(
                .expiresColumn, beside: .ageColumn, "cannot be combined with age_column",
                hint: "a rule has one of the two; remove the other")
        case (nil, nil):
            let keepers = try keptBy(reader)
            guard keep == nil, grace == nil, !keepers.isEmpty || reader.value(.orphansOf) != nil else {
                throw reader.error(
                    "says no time column",
                    hint:
                        "write age_column (with keep) or expires_column; or kept_by alone, for rows that nothing refers to, or"
                        + " orphans_of, for rows that refer to nothing")
            }
            return .orphan
        }
    }

    private static func sourceWindow(
        _ reader: TableReader<RuleKey>, of expiry: Expiry
    ) throws(PolicyFileError) -> Span? {
        guard let window = try reader.span(.sourceWindow, usualUnit: .day) else { return nil }
        guard case .age(_, let keep) = expiry else {
            throw reader.error(
                .sourceWindow, beside: .expiresColumn, "belongs to age_column",
                hint: "rows with their own expiry need no source_window; remove it")
        }
        guard keep.isSurelyLonger(than: window) else {
            throw reader.error(
                .sourceWindow, beside: .keep,
                "keep = \(keep.description.quoted) is not always longer: the source would deliver deleted records"
                    + " again, and they would come back as unread",
                hint: "lengthen keep, or shorten source_window to what the source really delivers")
        }
        return window
    }

    private static func keepLast(
        _ reader: TableReader<RuleKey>, of expiry: Expiry
    ) throws(PolicyFileError) -> Int64? {
        guard let count = try reader.integer(.keepLast) else { return nil }
        guard expiry != .orphan else {
            throw reader.error(
                .keepLast, "needs a time column: without one no row is the newest",
                hint: "add age_column and keep, or remove keep_last")
        }
        guard count >= 1 else {
            throw reader.error(
                .keepLast, "must be at least 1", hint: "to let the newest rows expire too, leave it out")
        }
        return count
    }

    private static func archiveKeep(_ reader: TableReader<RuleKey>) throws(PolicyFileError) -> Span? {
        let keep = try reader.span(.archiveKeep, usualUnit: .day)
        guard try reader.bool(.archive) ?? false else {
            guard keep == nil else {
                throw reader.error(
                    .archiveKeep, beside: .archive, "belongs to archive = true",
                    hint: "add archive = true, or remove archive_keep")
            }
            return nil
        }
        if reader.value(.dependents)?.array?.isEmpty == false {
            throw reader.error(
                .archive, beside: .dependents,
                "the archive takes no dependents, so the rows would come back incomplete",
                hint: "remove archive; rows with dependents can usually be fetched again")
        }
        return keep ?? defaultArchiveKeep
    }

    private static func every(_ reader: TableReader<RuleKey>) throws(PolicyFileError) -> Span? {
        guard let every = try reader.span(.every, usualUnit: .day) else { return nil }
        guard every.approximateSeconds >= 1 else {
            throw reader.error(.every, "is shorter than a second", hint: "write \"1s\" or more")
        }
        return every
    }

    private static func between(_ reader: TableReader<RuleKey>) throws(PolicyFileError) -> DailyHours? {
        guard let text = try reader.string(.between) else { return nil }
        do throws(DailyHoursError) { return try DailyHours(parsing: text) } catch {
            switch error {
            case .unreadable:
                throw reader.error(
                    .between, "is not two times of day", hint: "write \"02:00-05:00\", or \"22:00-04:00\"")
            case .empty:
                throw reader.error(
                    .between, "begins and ends at the same time, so it never comes",
                    hint: "write a later end; for any time of day, remove between")
            }
        }
    }

    private static func maxRun(_ reader: TableReader<RuleKey>) throws(PolicyFileError) -> Span? {
        guard let span = try reader.span(.maxRun, usualUnit: .minute) else { return nil }
        guard span.approximateSeconds >= 1 else {
            throw reader.error(.maxRun, "is shorter than a second", hint: "write \"1s\" or more")
        }
        return span
    }

    private static func keptBy(_ reader: TableReader<RuleKey>) throws(PolicyFileError) -> [ColumnReference] {
        try columns(.keptBy, reader)
    }

    private static func columns(
        _ key: RuleKey, _ reader: TableReader<RuleKey>
    ) throws(PolicyFileError) -> [ColumnReference] {
        var columns: [ColumnReference] = []
        for text in try reader.stringOrStrings(key) {
            guard let column = ColumnReference(text) else {
                throw reader.error(key, "is not a column of a table", hint: "write \"table.column\"")
            }
            columns.append(column)
        }
        return columns
    }

    private static func keepLastPer(_ reader: TableReader<RuleKey>) throws(PolicyFileError) -> [String] {
        let columns = try reader.stringOrStrings(.keepLastPer)
        let count = try reader.integer(.keepLast)
        guard columns.isEmpty || count != nil else {
            throw reader.error(
                .keepLastPer, "belongs to keep_last",
                hint: "say how many rows of each group stay: keep_last = 50"
            )
        }
        return columns
    }

    private static func orphansOf(
        _ reader: TableReader<RuleKey>
    ) throws(PolicyFileError) -> OwnerReference? {
        guard let inner = try reader.table(.orphansOf, of: OrphanKey.self) else { return nil }
        let hint = "write { column = \"feed_id\", key = \"feed.id\" }"
        guard let column = try inner.string(.column), let key = try inner.string(.key) else {
            throw inner.error("has no column, or no key of the table that it refers to", hint: hint)
        }
        guard let key = ColumnReference(key) else {
            throw inner.error(.key, "is not a column of a table", hint: hint)
        }
        return OwnerReference(column: column, key: key)
    }

    private static func identity(_ reader: TableReader<RuleKey>) throws(PolicyFileError) -> [String] {
        let columns = try reader.stringOrStrings(.identity)
        let isArchived = try reader.bool(.archive) ?? false
        guard columns.isEmpty || isArchived else {
            // A preset says how its app knows a row again; whether rows are archived is for the user to say.
            if reader.isOfPreset(.identity) { return [] }
            throw reader.error(
                .identity, beside: .archive, "belongs to archive = true",
                hint: "what came back is known only of archived rows; add archive = true, or remove identity")
        }
        return columns
    }

    private static func tombstone(_ reader: TableReader<RuleKey>) throws(PolicyFileError) -> Tombstone? {
        guard let inner = try reader.table(.tombstone, of: TombstoneKey.self) else { return nil }
        let hint = "write { table = \"gone\", columns = { feed = \"feed_id\" } }"
        guard try RowAction(reader, of: .orphan) == .delete else {
            throw reader.error(
                .tombstone, beside: .action, "belongs to deleting",
                hint: "a marked row stays and is its own tombstone; remove one of the two")
        }
        guard let table = try inner.string(.table) else { throw inner.error("has no table", hint: hint) }
        guard let entries = try inner.entries(.columns, hint: hint) else {
            throw inner.error("has no columns", hint: hint)
        }
        var columns: [Tombstone.CopiedColumn] = []
        for (column, value) in entries {
            guard let source = value.string, !source.isEmpty, !column.isEmpty else {
                throw inner.error(
                    .columns, "must name a column of the rule's table for each of its own", hint: hint)
            }
            columns.append(.init(column, from: source))
        }
        return Tombstone(table: table, columns: columns, condition: try inner.string(.where))
    }
}
