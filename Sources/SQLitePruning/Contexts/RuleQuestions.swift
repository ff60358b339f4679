import Archive
import FoundationEssentials
import Pruning
import Retention
import SQLite

/// What is asked about a rule: whether it fits, and which rows it means.
extension SQLiteView {
    func validate(_ rule: RetentionRule) throws(StoreError) {
        try read("apply rule \(rule.name)") { db in
            try self.validation(of: rule).checkKinds(of: self.bind(rule, in: db), in: db)
        }
    }

    func checkScans(of rule: RetentionRule) throws(StoreError) {
        try read("apply rule \(rule.name)", of: rule) { db in
            try self.checkScans(of: self.bind(rule, in: db), in: db)
        }
    }

    func checkMark(by task: PruneTask) throws(StoreError) {
        guard task.rule.action.isMark else { return }
        try read("apply rule \(task.rule.name)", of: task.rule, .approximate) { db in
            try self.tryMark(of: self.bind(task.rule, in: db), task, in: db)
        }
    }

    func remarks(before task: PruneTask) throws(StoreError) -> [String] {
        try read("look for rows that stay", of: task.rule, .approximate) { db in
            let condition = try self.condition(of: task, in: db)
            let name = condition.bound.table.name
            let refusing = [condition.bound.mayRefuse.remark].compactMap(\.self)
            guard let rows = try condition.countReferredTo(in: db), rows > 0 else { return refusing }
            return refusing + [ReferredRows(rows, of: name, by: condition.bound.binding.ownKeyNames).remark]
        }
    }

    func checkReferences(to task: PruneTask) throws(StoreError) {
        try read("apply rule \(task.rule.name)", of: task.rule, .approximate) { db in
            // What the rules before this one do is presumed in a dry run alone.
            let before =
                task.presumedDone.isEmpty ? self.terms.rules.prefix { $0.name != task.rule.name } : []
            let changing = before.filter { !$0.action.isMark }.flatMap { [$0.table] + $0.dependents }
                .map(\.comparedName)
            try HoldingReferences(task: task, path: path, changing: Set(changing)).check(in: db) {
                try self.condition(of: task, in: db)
            }
            try self.checkTriggers(task, in: db)
        }
    }

    private func checkTriggers(_ task: PruneTask, in db: Database) throws {
        guard try !bind(task.rule, in: db).refusing.isEmpty else { return }
        try RefusedRows(condition: condition(of: task, in: db), path: path).check(in: db)
    }

    /// To know the expired rows may take a look at the whole table, so that is left out where no mark is refused.
    private func tryMark(of bound: BoundRule, _ task: PruneTask, in db: Database) throws {
        guard try MarkTrial.isNeeded(for: bound, in: db) else { return }
        let condition = try ExpiryCondition(bound: bound, task: task, leases: leases, in: db)
        try MarkTrial(condition: condition, path: path).run(in: db)
    }

    func census(of task: PruneTask) throws(StoreError) -> Census {
        try read(RuleWork.countExpired.of(task.rule.table), of: task.rule, .approximate) { db in
            let condition = try self.condition(of: task, in: db)
            let census = try TableCensus(condition: condition).take(in: db).census
            if census.expired > 0 {
                try DecidingIndex.check(condition, path: path, in: db)
                try self.checkChange(by: condition, in: db)
            }
            return census
        }
    }

    /// Throws if an index that decides is damaged, if deleting a row would take too long, or if a row cannot be marked.
    func checkBeforeDeletion(by task: PruneTask) throws(StoreError) {
        try read("apply rule \(task.rule.name)", of: task.rule, .approximate) { db in
            let bound = try self.bind(task.rule, in: db)
            try DecidingIndex.check(bound, path: path, in: db)
            if try GroupThresholds.index(for: bound, in: db) != nil {
                let condition = try ExpiryCondition(bound: bound, task: task, leases: leases, in: db)
                try DecidingIndex.checkGroups(condition, path: path, in: db)
            }
            try self.checkScans(of: bound, in: db)
            try self.validation(of: task.rule).checkKinds(of: bound, in: db)
            try self.tryMark(of: bound, task, in: db)
            try HoldingReferences(task: task, path: path, changing: []).check(in: db) {
                try self.condition(of: task, in: db)
            }
            try self.checkTriggers(task, in: db)
        }
    }

    private func checkChange(by condition: ExpiryCondition, in db: Database) throws {
        try checkScans(of: condition.bound, in: db)
        try MarkTrial(condition: condition, path: path).run(in: db)
    }

    private func checkScans(of bound: BoundRule, in db: Database) throws {
        try validation(of: bound.rule).checkScans(of: bound, lockTime, connection.progress, in: db)
    }

    func condition(
        of task: PruneTask, groups: Bool = true, in db: Database
    ) throws -> ExpiryCondition {
        try ExpiryCondition(
            bound: bind(task.rule, in: db), task: task, leases: leases, groups: groups, in: db)
    }

    func fingerprint(of task: PruneTask) throws(StoreError) -> RowsFingerprint {
        try read(RuleWork.tellExpired.of(task.rule.table), of: task.rule) { db in
            let condition = try self.condition(of: task, in: db)
            return try RowHashes(of: condition.bound).expired(by: condition, in: db)
        }
    }

    func ages(of task: PruneTask) throws(StoreError) -> AgeProfile {
        try read(RuleWork.countByTime.of(task.rule.table), of: task.rule, .approximate) { db in
            let condition = try self.condition(of: task, in: db)
            var ages = try TableAges(condition: condition).take(in: db)
            ages.refusing = condition.bound.mayRefuse
            if ages.census.expired > 0 {
                try DecidingIndex.check(condition.bound, path: path, in: db)
                try self.checkChange(by: condition, in: db)
                ages.dependents = try DependentCensus(condition: condition).count(in: db)
            }
            return ages
        }
    }

    func judge(_ key: [String], by task: PruneTask) throws(StoreError) -> RowJudgement? {
        try read("look for a row of \(task.rule.table)", of: task.rule) { db in
            try RowQuestion(condition: self.condition(of: task, in: db)).answer(key, in: db)
        }
    }

    func mayHaveExpired(_ task: PruneTask) throws(StoreError) -> Bool {
        try read(RuleWork.lookForExpired.of(task.rule.table), of: task.rule, .approximate) { db in
            let condition = try self.condition(of: task, groups: false, in: db)
            guard try !TableCensus(condition: condition).findsPast(in: db) else { return true }
            // Values that cannot be compared may hide rows from a condition that reads another table.
            try self.validation(of: task.rule).checkKinds(of: condition.bound, in: db)
            return false
        }
    }

    func timeSample(of task: PruneTask, rows: Int) throws(StoreError) -> TimeSample {
        let rule = task.rule
        return try read("look at \(rule.table).\(rule.expiry.column ?? "")", of: rule, .approximate) { db in
            let bound = try self.validation(of: rule).bindNames(in: db)
            let condition = try ExpiryCondition(
                bound: bound, task: task, leases: leases, groups: false, in: db)
            return try ColumnSample(condition: condition, rows: rows).take(in: db)
        }
    }

    func rowCount(of task: PruneTask) throws(StoreError) -> Int64 {
        try read("count the rows of \(task.rule.table)", of: task.rule, .approximate) { db in
            let bound = try self.bind(task.rule, in: db)
            let table = bound.table.name.quotedIdentifier
            guard !task.presumedDone.isEmpty || bound.mark != nil else {
                return try db.value("SELECT count(*) FROM \(table)").integer
            }
            let condition = try ExpiryCondition(
                bound: bound, task: task, leases: leases, groups: false, in: db)
            let terms = ["1"] + condition.notGone
            return try db.value("SELECT count(*) FROM \(table) WHERE \(terms.joined(separator: " AND "))")
                .integer
        }
    }

    func recency(of task: PruneTask, enough: Int64?) throws(StoreError) -> Recency? {
        try read(RuleWork.lookForNewest.of(task.rule.table), of: task.rule, .approximate) { db in
            try RowsByRecency(condition: self.condition(of: task, in: db)).take(enough: enough, in: db)
        }
    }

    /// Without the number of the device: that may be another after each start of the machine, and whoever has confirmed
    /// would be asked again. A file of another device has other rows, which are compared, too.
    func identity(of task: PruneTask) -> String? { "\(connection.identity.inode)" }

    func newestTimes(
        _ count: Int, of rule: RetentionRule, notAfter date: Date
    ) throws(StoreError) -> [Date] {
        try read(RuleWork.lookForNewest.of(rule.table), of: rule, .approximate) { db in
            let bound = try self.bind(rule, in: db)
            guard let time = bound.time else { return [] }
            let column = time.sql(of: bound.table.name)
            let order = [time.index?.entry(of: column), column].compactMap { $0.map { $0 + " DESC" } }
            let plausible = rule.time.plausible
            let latest = min(
                plausible.upperBound, rule.time.value(ofSecond: Int64(date.timeIntervalSince1970)))
            let (lowest, highest) = (
                ColumnTime(plausible.lowerBound, rule.time).literal, ColumnTime(latest, rule.time).literal
            )
            // Without this term SQLite would not search an index by day, but scan the table.
            let withinDays = time.index.map {
                "\($0.entry(of: column)) BETWEEN \($0.entry(of: lowest)) AND \($0.entry(of: highest)) AND "
            }
            let newest = try db.rows(
                """
                SELECT \(time.whole(of: bound.table.name)) FROM \(bound.table.name.quotedIdentifier) WHERE \(withinDays ?? "")\
                \(time.isNumber(bound.table.name)) AND \(column) BETWEEN \(lowest) AND \(highest) \
                ORDER BY \(order.joined(separator: ", ")) LIMIT \(count)
                """)
            return newest.map { rule.time.date(of: $0[0].integer) }
        }
    }

    func cameBack(of task: PruneTask) throws(StoreError) -> Int64? {
        guard let archive, task.rule.isLookedFor else { return nil }
        return try ReturnLook(
            task, in: archive.archive, SQLiteReturnSearch(task, in: self), place: path, control,
            mostInMemory: mostCandidates
        ).take()
    }

    private func bind(_ rule: RetentionRule, in db: Database) throws -> BoundRule {
        let version = try db.schemaVersion()
        if let known = bindings[rule], known.version == version { return known.rule }
        let bound = try validation(of: rule).bind(in: db)
        bindings[rule] = (version, bound)
        return bound
    }

    private func validation(of rule: RetentionRule) -> RuleValidation {
        RuleValidation(rule: rule, path: path, gate: terms.gate, rules: terms.rules)
    }
}
