import Retention

extension RetentionPolicy {
    /// The policy of the whole file.
    init(_ file: TableReader<FileKey>, systemTimeZone: Zone) throws(PolicyFileError) {
        let timeZone = try Self.timeZone(file) ?? systemTimeZone
        let limits = try HoldLimits(file.table(.guard, of: GuardKey.self), over: .standard)
        let batch = try file.table(.batch, of: BatchKey.self)
        let (lockTime, workers) = (try Self.lockTime(batch), try Self.workers(batch))
        let archiveLimit = try Self.archiveLimit(file.table(.archive, of: ArchiveKey.self))
        var stores: [StoreDefinition] = []
        for (name, table) in try file.tables(.store, of: StoreKey.self) {
            stores.append(try StoreDefinition(name: name, table))
        }
        var rules: [RetentionRule] = []
        let tables = try file.tables(.rule, of: RuleKey.self)
        let known = tables.filter { (try? $0.1.string(.table)) != nil }.map(\.0.description)
        for (name, table) in tables {
            rules.append(
                try RetentionRule(name: name, table, stores: stores, limits: limits, others: known))
        }
        do {
            try self.init(
                timeZone: timeZone, lockTime: lockTime, workers: workers, archiveLimit: archiveLimit,
                stores: stores, rules: rules)
        } catch {
            throw Self.inconsistent(file, error)
        }
    }

    private static func timeZone(_ file: TableReader<FileKey>) throws(PolicyFileError) -> Zone? {
        guard let name = try file.string(.timeZone) else { return nil }
        return try file.zone(.timeZone, named: name)
    }

    private static func lockTime(_ batch: TableReader<BatchKey>?) throws(PolicyFileError) -> Duration {
        guard let batch, let span = try batch.span(.lockTime, usualUnit: .millisecond) else {
            return defaultLockTime
        }
        guard (0.001...1).contains(span.approximateSeconds) else {
            throw batch.error(
                .lockTime, "must be between 1ms and 1s",
                hint: "a write of the app may wait this long; the default is 10ms")
        }
        return .milliseconds(Int64((span.approximateSeconds * 1_000).rounded()))
    }

    private static func workers(_ batch: TableReader<BatchKey>?) throws(PolicyFileError) -> Int {
        guard let batch, let number = try batch.integer(.workers) else { return defaultWorkers }
        guard let workers = Int(exactly: number), workerLimits.contains(workers) else {
            throw batch.error(
                .workers, "must be between \(workerLimits.lowerBound) and \(workerLimits.upperBound)",
                hint: "so many stores are worked on at once; the default is \(defaultWorkers)")
        }
        return workers
    }

    private static func archiveLimit(
        _ archive: TableReader<ArchiveKey>?
    ) throws(PolicyFileError) -> ArchiveLimit {
        guard let archive else { return defaultArchiveLimit }
        return try ArchiveLimit(
            archive.size(.maxSize) ?? defaultArchiveLimit.size, total: archive.size(.maxTotal))
    }

    private static func inconsistent(_ file: TableReader<FileKey>, _ error: PolicyError) -> PolicyFileError {
        switch error {
        case .empty:
            file.error(
                "has no rules", hint: "add a [rule.NAME], or do without a file to use the built-in policy")
        case .reservedName(let name):
            file.error(
                at: [["store", name.description], ["rule", name.description]],
                "the name \(name) is taken by the archive", hint: "rename the store or the rule")
        case .circularKeepers(let rules):
            file.error(
                at: rules.map { ["rule", $0.description, RuleKey.keptBy.rawValue] },
                "the rules \(rules.map(\.description).joined(separator: ", ")) refer to each other by kept_by",
                hint: "each would have to run before the other; remove kept_by from one of them")
        case .deletesMarked(let deleting, let marking):
            file.error(
                ofValueAt: ["rule", deleting.description, RuleKey.keep.rawValue],
                "rule \(deleting) deletes rows that rule \(marking) marks, and may do so sooner",
                hint:
                    "a deleted row may come back as unread; let \(deleting) keep its rows longer than \(marking)"
            )
        case .duplicateStore(let name), .duplicateRule(let name):
            file.error("\(name) occurs twice", hint: "rename one of them")
        case .unknownStore(let rule, let store):
            file.error("rule \(rule) is on the unknown store \(store)", hint: "add [store.\(store)]")
        }
    }
}

extension HoldLimits {
    /// The limits of `table`, with missing values from `base`.
    init(_ table: TableReader<GuardKey>?, over base: HoldLimits) throws(PolicyFileError) {
        self = base
        guard let table else { return }
        if let share = try table.number(.maxShare) {
            guard share > 0, share <= 1 else {
                throw table.error(
                    .maxShare, "must be above 0 and at most 1",
                    hint: "0.5 is half of a table; with 1 no rule is held")
            }
            maxShare = share
        }
        if let rows = try table.integer(.minRows) {
            guard rows >= 0 else {
                throw table.error(.minRows, "cannot be negative", hint: "0 guards tables of every size")
            }
            minRows = rows
        }
    }
}
