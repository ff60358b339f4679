import Archive
import FoundationEssentials
import Pruning
import Retention
import RuleEngine

/// The view context of a PostgreSQL database: read-only transactions.
final class PostgreSQLView: ViewContext {
    let access: StoreAccess
    let connection: Connection
    let facts: ServerFacts

    init(_ access: StoreAccess, _ control: RunControl) throws(StoreError) {
        self.access = access
        let connection = try Connection(access.address, control)
        self.connection = connection
        facts = try connection.perform("look at the server") {
            try connection.serverFacts()
        }
        try connection.check(facts)
    }

    /// Runs `body` in a read-only transaction that sees one state of the database.
    func read<Result>(_ operation: String, _ body: (Connection) throws -> Result) throws(StoreError) -> Result
    {
        try connection.perform(operation) {
            try connection.transaction(.snapshot) { try body(connection) }
        }
    }

    func validate(_ rule: RetentionRule) throws(StoreError) {
        try read("apply rule \(rule.name)") { connection in
            // A run would be refused for it.
            try self.access.replicas.checkSight(of: self.facts, in: connection)
            let task = PruneTask(rule, start: self.facts.date, in: .gmt)
            let condition = try self.access.condition(of: task, isToLook: false, in: connection)
            try StatementCheck(condition: condition, connection: connection).run()
            _ = try Deletion.partitions(of: condition, in: connection)
        }
    }

    func checkScans(of rule: RetentionRule) throws(StoreError) { try validate(rule) }

    func checkMark(by task: PruneTask) throws(StoreError) {}

    func remarks(before task: PruneTask) throws(StoreError) -> [String] {
        try read("look for rows that stay") {
            let condition = try self.access.condition(of: task, in: $0)
            let rights = NeededRights(
                rule: task.rule, relation: condition.bound.relation, leaves: condition.bound.leaves)
            let unreclaimed = self.access.reclaims ? try rights.vacuumRemark(in: $0) : nil
            let holding =
                [unreclaimed, try self.access.replicas.remark(in: $0), condition.bound.refusing.remark]
                .compactMap(\.self)
                + (try self.access.holdingReferences(of: condition, in: $0)?.remarks(in: $0) ?? [])
            guard let rows = try condition.countHeld(in: $0), rows > 0 else { return holding }
            let bound = condition.bound
            return holding + [
                ReferredRows(rows, of: bound.relation.description, by: bound.binding.ownKeyNames).remark
            ]
        }
    }

    func checkReferences(to task: PruneTask) throws(StoreError) {
        try read("look for rows that stay") {
            try self.access.refuseHeldRows(of: self.access.condition(of: task, in: $0), in: $0)
        }
    }

    func mayHaveExpired(_ task: PruneTask) throws(StoreError) -> Bool {
        try read(RuleWork.lookForExpired.of(task.rule.table)) {
            try TableCensus(condition: self.access.condition(of: task, in: $0)).findsPast(in: $0)
        }
    }

    func census(of task: PruneTask) throws(StoreError) -> Census {
        try read(RuleWork.countExpired.of(task.rule.table)) {
            try TableCensus(condition: self.access.condition(of: task, in: $0)).take(in: $0)
        }
    }

    func fingerprint(of task: PruneTask) throws(StoreError) -> RowsFingerprint {
        try read(RuleWork.tellExpired.of(task.rule.table)) {
            try TableCensus(condition: self.access.condition(of: task, in: $0)).fingerprint(in: $0)
        }
    }

    func ages(of task: PruneTask) throws(StoreError) -> AgeProfile {
        try read(RuleWork.countByTime.of(task.rule.table)) {
            let condition = try self.access.condition(of: task, in: $0)
            _ = try Deletion.partitions(of: condition, in: $0)
            let (connection, counting) = ($0, TableCensus(condition: condition))
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

    func timeSample(of task: PruneTask, rows: Int) throws(StoreError) -> TimeSample {
        try read("look at \(task.rule.table).\(task.rule.expiry.column ?? "")") {
            let condition =
                try task.presumedDone.isEmpty
                ? ExpiryCondition(bound: self.access.bindToLook(task.rule, in: $0), task: task)
                : self.access.condition(of: task, in: $0)
            return try ColumnSample(condition: condition, rows: rows).take(in: $0)
        }
    }

    func rowCount(of task: PruneTask) throws(StoreError) -> Int64 {
        try read("count the rows of \(task.rule.table)") {
            let condition = try self.access.condition(of: task, in: $0)
            let place =
                condition.notGone.isEmpty ? "" : " WHERE " + condition.notGone.joined(separator: " AND ")
            let from = condition.from()
            return try $0.query("\(condition.with(of: from))SELECT count(*) \(from)\(place)").integer(0, 0)
                ?? 0
        }
    }

    func recency(of task: PruneTask, enough: Int64?) throws(StoreError) -> Recency? {
        try read(RuleWork.lookForNewest.of(task.rule.table)) {
            let connection = $0
            return try RowsByRecency(condition: self.access.condition(of: task, in: connection)) {
                try connection.query($0).rows
            }.take(enough: enough)
        }
    }

    func identity(of task: PruneTask) throws(StoreError) -> String? {
        try read("look which table \(task.rule.table) is") {
            let table = try $0.relation(named: task.rule.table).oid
            let found = try $0.query(
                """
                SELECT (SELECT system_identifier FROM pg_control_system()), \
                (SELECT oid FROM pg_database WHERE datname = current_database())
                """)
            return "\(found.text(0, 0) ?? ""):\(found.text(0, 1) ?? ""):\(table)"
        }
    }

    func newestTimes(
        _ count: Int, of rule: RetentionRule, notAfter date: Date
    ) throws(StoreError) -> [Date] {
        try read(RuleWork.lookForNewest.of(rule.table)) {
            let bound = try self.access.bindToLook(rule, in: $0)
            guard let time = bound.time else { return [] }
            let future = date.addingTimeInterval(1)
            return try $0.query(
                """
                SELECT \(time.second) FROM \(bound.relation.sql) AS \(bound.relation.alias) \
                WHERE \(time.isPlausible) AND \(time.isBefore(future)) ORDER BY \(time.sql) DESC LIMIT \(count)
                """
            ).rows.compactMap { $0[0].flatMap(Double.init).map { Date(timeIntervalSince1970: $0) } }
        }
    }

    func cameBack(of task: PruneTask) throws(StoreError) -> Int64? {
        guard let archive = access.archive, task.rule.isLookedFor else { return nil }
        return try ReturnLook(
            task, in: archive, PostgreSQLReturnSearch(task, in: self), place: access.address.place,
            connection.control
        ).take()
    }

    /// The dead rows of the rules' tables, as far as they can be estimated.
    func freeSpace() throws(StoreError) -> FreeSpace? {
        try read("look for dead rows") { connection in
            let tables = try self.access.tables(in: connection).map { "\($0.oid)" }
            let found = try connection.query(
                """
                SELECT coalesce(sum(pg_table_size(s.relid)), 0)::bigint, coalesce(sum(pg_table_size(s.relid) * \
                (s.n_dead_tup::float8 / greatest(s.n_dead_tup + s.n_live_tup, 1))), 0)::bigint \
                FROM pg_stat_user_tables s WHERE s.relid = ANY ($1::oid[])
                """, ["{" + tables.joined(separator: ",") + "}"])
            return FreeSpace(
                bytes: found.integer(0, 0) ?? 0, freeBytes: found.integer(0, 1) ?? 0, unitBytes: 8_192)
        }
    }

    func remarks(on tables: [String]) throws(StoreError) -> [String] {
        try read("look at the tables") { connection in
            try connection.remarks(on: tables.map { try connection.relation(named: $0) })
        }
    }

    func clock() -> Date? { facts.date }

    func size() throws(StoreError) -> FreeSpace {
        try read("look at the size") {
            let bytes = try $0.query("SELECT pg_database_size(current_database())").integer(0, 0) ?? 0
            return FreeSpace(bytes: bytes, freeBytes: 0, unitBytes: 8_192)
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
            try StoreSchema(of: $0.tableNames().map(\.description), in: $0)
                .tables(for: self.access.rules.map { SchemaUse($0) }, by: .postgresql)
        }
    }

    /// The server checks pages as it reads them.
    func verifyIntegrity() throws(StoreError) {}

    func close() { connection.close() }
}
