import Archive
import FoundationEssentials
import Pruning
import Retention
import RuleEngine

/// The view context of a MariaDB database: read-only transactions.
final class MariaDBView: ViewContext {
    let access: StoreAccess
    private let connection: Connection
    let facts: ServerFacts

    init(_ access: StoreAccess, _ control: RunControl) throws(StoreError) {
        self.access = access
        let connection = try Connection(access.address, control)
        self.connection = connection
        facts = try connection.perform("look at the server") { try ServerFacts(of: connection) }
        try facts.check(place: access.address.place)
    }

    /// Runs `body` in a read-only transaction that sees one state of the database.
    func read<Result>(_ operation: String, _ body: (Connection) throws -> Result) throws(StoreError) -> Result
    {
        try connection.perform(operation) { try connection.snapshot { try body(connection) } }
    }

    private func look<Result>(
        _ task: PruneTask, _ work: RuleWork, _ body: (ExpiryCondition, Connection) throws -> Result
    ) throws(StoreError) -> Result {
        try read(work.of(task.rule.table)) { try body(self.access.condition(of: task, in: $0), $0) }
    }

    func validate(_ rule: RetentionRule) throws(StoreError) {
        let task = PruneTask(rule, start: facts.date, in: .gmt)
        try read("apply rule \(rule.name)") { connection in
            let condition = try self.access.condition(of: task, isToLook: false, in: connection)
            // The server plans what a run will send.
            try connection.query(
                "EXPLAIN \(condition.question("1", where: [condition.expired], joined: true))")
        }
    }

    func checkScans(of rule: RetentionRule) throws(StoreError) { try validate(rule) }
    func checkMark(by task: PruneTask) throws(StoreError) {}

    func remarks(before task: PruneTask) throws(StoreError) -> [String] {
        try look(task, .lookForExpired) { condition, _ in [condition.bound.refusing.remark].compactMap(\.self)
        }
    }

    func checkReferences(to task: PruneTask) throws(StoreError) {
        try look(task, .lookForExpired) { try self.access.refuseHeldRows(of: $0, in: $1) }
    }

    func mayHaveExpired(_ task: PruneTask) throws(StoreError) -> Bool {
        try look(task, .lookForExpired) { try TableCensus(condition: $0).findsPast(in: $1) }
    }

    func census(of task: PruneTask) throws(StoreError) -> Census {
        try look(task, .countExpired) { try TableCensus(condition: $0).take(in: $1) }
    }

    func fingerprint(of task: PruneTask) throws(StoreError) -> RowsFingerprint {
        try look(task, .tellExpired) { try TableCensus(condition: $0).fingerprint(in: $1) }
    }

    func ages(of task: PruneTask) throws(StoreError) -> AgeProfile {
        try look(task, .countByTime) { condition, connection in
            let counting = TableCensus(condition: condition)
            let census = try counting.take(in: connection)
            var ages = try TableAges(condition: condition) { try connection.query($0).rows }
                .take(census, dependents: counting.dependents(of: census, in: connection))
            ages.refusing = condition.bound.refusing
            return ages
        }
    }

    func judge(_ key: [String], by task: PruneTask) throws(StoreError) -> RowJudgement? {
        try read("look for a row of \(task.rule.table)") {
            try RowQuestion(condition: self.access.condition(of: task, in: $0)).answer(key, in: $0)
        }
    }

    /// The values of the time column in the first and the last rows by the key. A type of the server's says itself that its
    /// values are times, so only numbers are looked at.
    func timeSample(of task: PruneTask, rows: Int) throws(StoreError) -> TimeSample {
        try read("look at \(task.rule.table).\(task.rule.expiry.column ?? "")") { connection in
            let condition = try self.access.condition(of: task, in: connection)
            guard let time = condition.bound.time, time.isNumber else { return TimeSample(integers: []) }
            let ends = try ["", " DESC"].flatMap { direction in
                let order = condition.bound.key.columns.map { $0 + direction }.joined(separator: ", ")
                let question = condition.question(
                    time.sql, where: ["\(time.sql) IS NOT NULL"] + condition.notGone,
                    " ORDER BY \(order) LIMIT \(rows)")
                return try connection.query(question).rows.compactMap { $0[0] }
            }
            return TimeSample(numbers: ends)
        }
    }

    func rowCount(of task: PruneTask) throws(StoreError) -> Int64 {
        try look(task, .countByTime) {
            try $1.query($0.question("count(*)", where: $0.notGone)).integer(0, 0) ?? 0
        }
    }

    func recency(of task: PruneTask, enough: Int64?) throws(StoreError) -> Recency? {
        try look(task, .lookForNewest) { condition, connection in
            try RowsByRecency(condition: condition) { try connection.query($0).rows }.take(enough: enough)
        }
    }

    func identity(of task: PruneTask) throws(StoreError) -> String? {
        try look(task, .lookForExpired) { condition, connection in
            let name = connection.innodbName(of: condition.bound.relation.tableName)
            let found = try connection.query(
                """
                SELECT (SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_VARIABLES WHERE VARIABLE_NAME = 'SERVER_UID'), \
                TABLE_ID FROM information_schema.INNODB_SYS_TABLES WHERE CAST(NAME AS BINARY) = \(name)
                """)
            return "\(found.text(0, 0) ?? ""):\(found.text(0, 1) ?? "")"
        }
    }

    func newestTimes(
        _ count: Int, of rule: RetentionRule, notAfter date: Date
    ) throws(StoreError) -> [Date] {
        try look(PruneTask(rule, start: date, in: .gmt), .lookForNewest) { condition, connection in
            guard let time = condition.time else { return [] }
            let terms = [time.isPlausible, time.isBefore(date.addingTimeInterval(1))]
            return try connection.query(
                condition.question(time.second, where: terms, " ORDER BY \(time.sql) DESC LIMIT \(count)")
            ).rows.compactMap { $0[0].flatMap(Double.init).map { Date(timeIntervalSince1970: $0) } }
        }
    }

    func cameBack(of task: PruneTask) throws(StoreError) -> Int64? {
        guard let archive = access.archive, task.rule.isLookedFor else { return nil }
        return try ReturnLook(
            task, in: archive, MariaDBReturnSearch(task, access, in: connection), place: access.address.place,
            connection.control
        ).take()
    }

    /// The app's new rows take the space of deleted ones; a server gives none back without rewriting a table.
    func freeSpace() throws(StoreError) -> FreeSpace? { nil }

    func clock() -> Date? { facts.date }

    func size() throws(StoreError) -> FreeSpace {
        try read("look at the size") {
            let bytes = try $0.query(
                """
                SELECT CAST(COALESCE(SUM(DATA_LENGTH + INDEX_LENGTH), 0) AS SIGNED) FROM information_schema.TABLES \
                WHERE TABLE_SCHEMA = DATABASE()
                """
            ).integer(0, 0)
            return FreeSpace(bytes: bytes ?? 0, freeBytes: 0, unitBytes: 16_384)
        }
    }

    func disturbance() throws(StoreError) -> String? { nil }

    func knownSchema() throws(StoreError) -> String? {
        try read("compare the schema") {
            try self.access.passGate(for: self.access.rules.map { SchemaUse($0) }, in: $0)?.versions
        }
    }

    func schema() throws(StoreError) -> StoreSchema {
        try read("read the schema") {
            let names = try $0.query("SHOW FULL TABLES WHERE Table_type = 'BASE TABLE'").rows.compactMap {
                $0[0]
            }
            return try StoreSchema(of: names, in: $0)
                .tables(
                    for: self.access.rules.map { SchemaUse($0) }, by: .mariadb(self.access.address.database))
        }
    }

    /// The server checks pages as it reads them.
    func verifyIntegrity() throws(StoreError) {}

    func close() { connection.close() }
}
