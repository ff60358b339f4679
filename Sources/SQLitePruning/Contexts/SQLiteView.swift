import FoundationEssentials
import Glibc
import Pruning
import Retention
import SQLite

/// The view context of a SQLite file. It leaves no files beside the store, not even `-wal` and `-shm`. One exception:
/// if there is a log that no process has open, SQLite creates a new `-shm` to read it.
final class SQLiteView: ViewContext {
    private let path: String
    private let control: RunControl
    private let terms: AppTerms
    private let archive: StoreArchive?
    private let lockTime: LockTime
    private var connection: Connection
    /// Knows the rows that were put back from the archive; nil without an archive.
    private var leases: LeaseFunction?
    private var access: Connection.Access
    /// The file when it was opened without locks; nil if SQLite's locks protect the reads.
    private var untouched: FileFacts?
    /// Whether a store that is read with locks has a write-ahead log, so that reading blocks nobody.
    private var hasLog = false
    /// See ``ReturnLook/Pace``.
    var mostCandidates = 200_000

    /// A file without `-wal` and `-journal` is complete by itself and is read without locks. With locks, opening a file
    /// in WAL mode would create `-wal` and `-shm`, and reading a file in rollback-journal mode would block its app's
    /// writes.
    init(
        path: String, control: RunControl, terms: AppTerms = AppTerms(), archive: StoreArchive? = nil,
        lockTime: LockTime = LockTime()
    ) throws(StoreError) {
        self.path = path
        self.control = control
        self.terms = terms
        self.archive = archive
        self.lockTime = lockTime
        (connection, access, untouched) = try Self.open(path, control, terms)
        leases = archive.map(LeaseFunction.init)
    }

    /// To read with locks can make the app's writes fail, except where they go into a log. So that is for when the app
    /// does not keep the store to itself.
    private static func leaveAppAlone(_ file: StoreFile, _ terms: AppTerms) throws(StoreError) {
        guard file.directory.facts(file.name + "-wal") == nil else { return }
        try terms.lock(beside: file)?.check()
    }

    private static func open(
        _ path: String, _ control: RunControl, _ terms: AppTerms
    ) throws(StoreError) -> (Connection, Connection.Access, untouched: FileFacts?) {
        let file = try StoreFile(path: path)
        let isQuiet = isQuiet(file, control)
        if !isQuiet { try leaveAppAlone(file, terms) }
        let facts = file.directory.facts(file.name)
        let access = isQuiet ? Connection.Access.readUntouched : .read
        return (try Connection(access, path: path, control: control), access, isQuiet ? facts : nil)
    }

    /// Whether nobody writes. Waits a moment for a writer.
    private static func isQuiet(_ file: StoreFile, _ control: RunControl) -> Bool {
        for _ in 0..<longestWrite where file.directory.facts(file.name + "-wal") == nil {
            guard JournalFile.isInUse(of: file) else { return true }
            control.pause(.milliseconds(1))
        }
        return !areInUse(file)
    }

    /// In milliseconds. A journal that exists for longer may be from a killed writer.
    private static let longestWrite = 50

    private static func areInUse(_ file: StoreFile) -> Bool {
        file.directory.facts(file.name + "-wal") != nil || JournalFile.isInUse(of: file)
    }

    func validate(_ rule: RetentionRule) throws(StoreError) {
        try read("apply rule \(rule.name)") { db in _ = try self.bind(rule, in: db) }
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

    /// To know the expired rows may take a look at the whole table, so that is left out where no mark is refused.
    private func tryMark(of bound: BoundRule, _ task: PruneTask, in db: Database) throws {
        guard try MarkTrial.isNeeded(for: bound, in: db) else { return }
        let condition = try ExpiryCondition(bound: bound, task: task, leases: leases, in: db)
        try MarkTrial(condition: condition, path: path).run(in: db)
    }

    func census(of task: PruneTask) throws(StoreError) -> Census {
        try read("count the expired rows of \(task.rule.table)", of: task.rule, .approximate) { db in
            let condition = try self.condition(of: task, in: db)
            let census = try TableCensus(condition: condition).take(in: db).census
            if census.expired > 0 {
                try DecidingIndex.check(condition.bound, path: path, in: db)
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
            try self.checkScans(of: bound, in: db)
            try self.tryMark(of: bound, task, in: db)
        }
    }

    private func checkChange(by condition: ExpiryCondition, in db: Database) throws {
        try checkScans(of: condition.bound, in: db)
        try MarkTrial(condition: condition, path: path).run(in: db)
    }

    private func checkScans(of bound: BoundRule, in db: Database) throws {
        try validation(of: bound.rule).checkScans(of: bound, lockTime, connection.progress, in: db)
    }

    private func condition(
        of task: PruneTask, groups: Bool = true, in db: Database
    ) throws -> ExpiryCondition {
        try ExpiryCondition(
            bound: bind(task.rule, in: db), task: task, leases: leases, groups: groups, in: db)
    }

    func fingerprint(of task: PruneTask) throws(StoreError) -> RowsFingerprint {
        try read("look which rows of \(task.rule.table) are expired", of: task.rule) { db in
            let condition = try self.condition(of: task, in: db)
            return try RowHashes(of: condition.bound).expired(by: condition, in: db)
        }
    }

    func ages(of task: PruneTask) throws(StoreError) -> AgeProfile {
        try read("count the rows of \(task.rule.table) by their times", of: task.rule, .approximate) { db in
            let condition = try self.condition(of: task, in: db)
            var ages = try TableAges(condition: condition).take(in: db)
            if ages.census.expired > 0 {
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
        try read("look for expired rows of \(task.rule.table)", of: task.rule, .approximate) { db in
            let condition = try self.condition(of: task, groups: false, in: db)
            return try TableCensus(condition: condition).findsPast(in: db)
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

    func newestTimes(
        _ count: Int, of rule: RetentionRule, notAfter date: Date
    ) throws(StoreError) -> [Date] {
        try read("look for the newest rows of \(rule.table)", of: rule, .approximate) { db in
            let bound = try self.bind(rule, in: db)
            guard let time = bound.time else { return [] }
            let column = time.sql(of: bound.table.name)
            let order = [time.index?.entry(of: column), column].compactMap { $0.map { $0 + " DESC" } }
            let plausible = rule.time.plausible
            let latest = min(
                plausible.upperBound, rule.time.value(ofSecond: Int64(date.timeIntervalSince1970)))
            let (lowest, highest) = (String(plausible.lowerBound), String(latest))
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
        let pace = ReturnLook.Pace(
            target: task.rule.isQuiet ? .milliseconds(1) : lockTime.usual * 0.3,
            pause: task.rule.isQuiet ? 100 : 1, blocksApp: { self.access == .read && !self.hasLog },
            mostCandidates: mostCandidates)
        let timed = task.byTimeAlone
        return try ReturnLook(
            task, in: archive.archive, path: path, pace: pace, control,
            read: { body throws(StoreError) in
                try self.read("look which rows of \(task.rule.table) came back", of: task.rule) { db in
                    if self.access == .read { self.hasLog = try db.isWAL() }
                    try body(db)
                }
            },
            condition: { db in try self.condition(of: timed, groups: false, in: db) }
        ).take()
    }

    func freeSpace() throws(StoreError) -> FreeSpace? {
        try read("count the free pages", .approximate) { db in try FreePages.space(in: db) }
    }

    func size() throws(StoreError) -> FreeSpace {
        try read("look at the size", .approximate) { db in try FreePages.size(of: db) }
    }

    func disturbance() throws(StoreError) -> String? {
        let isWAL = try read("read the journal mode") { db in try db.isMadeForWAL() }
        guard !isWAL else { return nil }
        return
            "no write-ahead log: a batch blocks its app's readers as well as its writers; the app could use WAL mode"
            + " (PRAGMA journal_mode = WAL), and quiet = true helps one that does not wait"
    }

    func knownSchema() throws(StoreError) -> String? {
        guard let gate = terms.gate else { return nil }
        return try read("compare the schema") { [path, terms] db in
            try Gate(terms: gate, store: terms.store, path: path).pass(in: db).versions
        }
    }

    func verifyIntegrity() throws(StoreError) {
        let bytes = connection.file.directory.facts(connection.file.name)?.size ?? 0
        let longestStep = StoreWork.longestStep + .milliseconds(bytes / Self.bytesCheckedPerMillisecond)
        let finding = try read("check the integrity", longestStep: longestStep) { db in
            try db.value("PRAGMA integrity_check(1)").string
        }
        guard finding == "ok" else {
            throw StoreError(
                .damaged, operation: "check the integrity", place: path, cause: finding,
                hint: "restore it from a backup, or try .recover of the sqlite3 program")
        }
    }

    /// A low estimate. SQLite checks all pages of a table in one step.
    private static let bytesCheckedPerMillisecond: Int64 = 20_000

    func close() {
        connection.close()
    }

    private func bind(_ rule: RetentionRule, in db: Database) throws -> BoundRule {
        try validation(of: rule).bind(in: db)
    }

    private func validation(of rule: RetentionRule) -> RuleValidation {
        RuleValidation(rule: rule, path: path, gate: terms.gate, rules: terms.rules)
    }

    /// What happens to a result that was read without locks while the app wrote.
    enum Certainty {
        /// It is discarded and read again with locks.
        case exact
        /// It is used, because the worker judges every row again.
        case approximate
    }

    func read<Result>(
        _ operation: String, of rule: RetentionRule? = nil, _ certainty: Certainty = .exact,
        longestStep: Duration = StoreWork.longestStep, _ body: (Database) throws -> Result
    ) throws(StoreError) -> Result {
        let work = StoreWork(operation, place: path, rule: rule, longestStep: longestStep)
        var tries = 0
        while true {
            let answer = answer(work, body)
            if tries < Self.mostTries, isLogMissing(answer) {
                tries += 1
                control.pause(.milliseconds(1))
                connection.close()
                (connection, access, untouched) = try Self.open(path, control, terms)
                leases = archive.map(LeaseFunction.init)
                continue
            }
            guard isDisturbed else {
                if isLogMissing(answer), let refusal = connection.ownersRefusal { throw refusal }
                return try answer.get()
            }
            if certainty == .approximate, case .success(let result) = answer { return result }
            try readWithLocks()
        }
    }

    private func answer<Result>(
        _ work: StoreWork, _ body: (Database) throws -> Result
    ) -> Swift.Result<Result, StoreError> {
        do throws(StoreError) {
            return .success(try connection.perform(work) { db in try db.inSnapshot { try body(db) } })
        } catch {
            return .failure(error)
        }
    }

    /// An app may open and close its store again and again.
    private static let mostTries = 20

    /// Whether SQLite needed a log or its index, and there was none, because the app had just removed it. SQLite would
    /// create one, but the app could not use it; see ``StoreFile/protectOwner(_:)``.
    private func isLogMissing<Result>(_ answer: Swift.Result<Result, StoreError>) -> Bool {
        guard case .failure(let error) = answer else { return false }
        return error.kind == .inputOutput && access == .read && connection.ownersRefusal != nil
    }

    /// Whether somebody wrote since the file was opened without locks.
    private var isDisturbed: Bool {
        guard let untouched else { return false }
        let file = connection.file
        return file.directory.facts(file.name) != untouched
            || Self.areInUse(file)
    }

    private func readWithLocks() throws(StoreError) {
        try Self.leaveAppAlone(connection.file, terms)
        connection.close()
        (access, untouched) = (.read, nil)
        connection = try Connection(.read, path: path, control: control)
        leases = archive.map(LeaseFunction.init)
    }
}
