import Foundation
import TestSupport

/// An app that writes random transactions, and knows what it has committed.
struct RandomApp {
    var model: AppModel
    var generator: SeededGenerator
    /// Transactions that were committed or rolled back.
    private(set) var transactions = 0
    /// The names of the table and of the column that a migration renames.
    var (item, starred) = ("item", "starred")
    /// Rows that another session of the app has locked.
    var held: Set<String> = []
    private var inserted = 0
    private var versions = 0

    init(of kind: StoreKind, using generator: SeededGenerator) {
        self.generator = generator
        model = AppModel(AppTables(of: kind, using: &self.generator))
    }

    var tables: AppTables { model.tables }
    var now: Int64 { Int64(Date().timeIntervalSince1970) }

    mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &generator) == 0 }

    /// One random transaction. Where it begins in another way than usual, or another session keeps rows, it may fail, as if it
    /// had not been.
    mutating func transact(on connection: some AppConnection, begin: String? = nil) throws {
        let (rollsBack, mayFail) = (chance(20), begin != nil || !held.isEmpty)
        let before = rollsBack || mayFail ? model : nil
        try connection.execute(begin ?? connection.begin)
        do {
            for _ in 0..<(chance(3) ? Int.random(in: 2...12, using: &generator) : 1) {
                try step(on: connection)
            }
            try connection.execute(rollsBack ? "ROLLBACK" : "COMMIT")
            if rollsBack { takeBack(to: before) }
        } catch  where mayFail && connection.isConflict(error) {
            try connection.execute("ROLLBACK")
            takeBack(to: before)
        }
        transactions += 1
    }

    /// What was rolled back has changed nothing; what was found stays found.
    private mutating func takeBack(to before: AppModel?) {
        guard let before else { return }
        let findings = model.findings
        model = before
        model.findings = findings
    }

    /// A row that no other session has locked.
    private mutating func anyKey() -> String? {
        let key = model.keys.randomElement(using: &generator)
        return key.flatMap { held.contains($0) ? nil : $0 }
    }

    /// One statement, which is a transaction by itself.
    mutating func change(on connection: some AppConnection) throws {
        guard let key = anyKey() else { return }
        try change(key, on: connection)
        transactions += 1
    }

    /// New rows, most of them expired, by one statement.
    mutating func arrive(_ count: Int, on connection: some AppConnection) throws {
        var values: [String] = []
        var rows: [(String, AppRow)] = []
        for _ in 0..<count {
            let (key, row) = (newKey(), newRow(expired: !chance(4)))
            rows.append((key, row))
            values.append(self.values(row, key))
        }
        try connection.execute("INSERT INTO \(item) (\(columns)) VALUES \(values.joined(separator: ", "))")
        for (key, row) in rows { model.set(row, for: key) }
        transactions += 1
    }

    /// One operation of a transaction.
    private mutating func step(on connection: some AppConnection) throws {
        guard let key = anyKey() else {
            return try insert(newKey(), on: connection)
        }
        switch Int.random(in: 0..<20, using: &generator) {
        case 0...4: try insert(newKey(), on: connection)
        case 5: try insert(model.freeKeys.randomElement(using: &generator) ?? newKey(), on: connection)
        case 6...10: try change(key, on: connection)
        case 11, 12: try label(key, on: connection)
        case 13: try unlabel(key, on: connection)
        case 14, 15: try rekey(key, on: connection)
        case 16: try delete(key, on: connection)
        case 17:
            try delete(key, on: connection)
            try insert(key, on: connection)
        default: try addChild(key, on: connection)
        }
    }

    private mutating func change(_ key: String, on connection: some AppConnection) throws {
        guard var row = model.rows[key] else { return }
        let changes: String
        switch Int.random(in: 0..<10, using: &generator) {
        case 0...2:
            row.received = time(expired: false)
            changes = "received = \(tables.literal(row.received))"
        case 3:
            row.received = chance(5) ? nil : time(expired: true)
            changes = "received = \(tables.literal(row.received))"
        case 4, 5:
            row.starred.toggle()
            changes = "\(starred) = \(row.starred ? 1 : 0)"
        case 6:
            row.feed = Int.random(in: 1...4, using: &generator)
            changes = "feed = \(row.feed)"
        case 7 where row.marked:
            // The app brings it back.
            (row.marked, row.received) = (false, time(expired: false))
            changes = "marked = 0, received = \(tables.literal(row.received))"
        default:
            (row.version, row.size) = (nextVersion(), Int.random(in: 0...AppRow.mostText, using: &generator))
            changes = "version = \(row.version), body = '\(row.body)'"
        }
        guard try update(key, changes, unmarks: changes.hasPrefix("marked"), on: connection) else { return }
        // The update has told whether a run had marked it.
        row.marked = changes.hasPrefix("marked") ? false : model.rows[key]?.marked ?? false
        model.set(row, for: key)
    }

    /// Whether the row was there.
    private mutating func update(
        _ key: String, _ changes: String, unmarks: Bool = false, on connection: some AppConnection
    ) throws -> Bool {
        let marks = try connection.change(item, changes, where: "id = \(tables.literal(key))")
        guard let mark = marks.first?[0] else {
            model.lose(key, at: now)
            return false
        }
        if !unmarks { model.see(key, marked: mark == "1", at: now) }
        return true
    }

    private mutating func insert(_ key: String, on connection: some AppConnection) throws {
        guard model.rows[key] == nil else { return }
        let row = newRow(expired: !chance(3))
        let keys = try connection.add(values(row, key), to: "\(item) (\(columns))")
        if keys.count == 1 {
            model.set(row, for: key)
        } else if !model.restores {
            model.findings.append("\(key) is there although it was deleted")
        }
    }

    private mutating func rekey(_ key: String, on connection: some AppConnection) throws {
        let other = newKey()
        guard try update(key, "id = \(tables.literal(other))", on: connection),
            let row = model.remove(key)
        else { return }
        model.set(row, for: other)
    }

    private mutating func delete(_ key: String, on connection: some AppConnection) throws {
        try connection.execute("DELETE FROM label WHERE item = \(tables.literal(key))")
        let marks = try connection.rows(
            "DELETE FROM \(item) WHERE id = \(tables.literal(key)) RETURNING marked")
        guard let mark = marks.first?[0] else { return model.lose(key, at: now) }
        model.see(key, marked: mark == "1", at: now)
        model.remove(key)
    }

    private mutating func label(_ key: String, on connection: some AppConnection) throws {
        guard try isThere(key, on: connection), var row = model.rows[key] else { return }
        try connection.execute("INSERT INTO label VALUES (\(tables.literal(key)), 'later')")
        row.labels += 1
        model.set(row, for: key)
    }

    private mutating func unlabel(_ key: String, on connection: some AppConnection) throws {
        guard try isThere(key, on: connection), var row = model.rows[key], row.labels > 0 else { return }
        try connection.execute("DELETE FROM label WHERE item = \(tables.literal(key))")
        row.labels = 0
        model.set(row, for: key)
    }

    /// Children go with their rows only by a rule that says so; any other one would fail.
    private mutating func addChild(_ key: String, on connection: some AppConnection) throws {
        guard tables.action == .dependents, try isThere(key, on: connection), var row = model.rows[key] else {
            return
        }
        try connection.execute("INSERT INTO child (item) VALUES (\(tables.literal(key)))")
        row.children += 1
        model.set(row, for: key)
    }

    private mutating func isThere(_ key: String, on connection: some AppConnection) throws -> Bool {
        let marks = try connection.rows(
            "SELECT marked FROM \(item) WHERE id = \(tables.literal(key))\(connection.lockingRow)")
        guard let mark = marks.first?[0] else {
            model.lose(key, at: now)
            return false
        }
        model.see(key, marked: mark == "1", at: now)
        return true
    }

    private var columns: String { "id, feed, received, \(starred), version, body" }

    private func values(_ row: AppRow, _ key: String) -> String {
        "(\(tables.literal(key)), \(row.feed), \(tables.literal(row.received)), \(row.starred ? 1 : 0), "
            + "\(row.version), '\(row.body)')"
    }

    private mutating func newRow(expired: Bool) -> AppRow {
        AppRow(
            feed: Int.random(in: 1...4, using: &generator), received: time(expired: expired),
            starred: chance(12), version: nextVersion(),
            size: Int.random(in: 0...AppRow.mostText, using: &generator))
    }

    private mutating func newKey() -> String {
        inserted += 1
        return tables.key(inserted)
    }

    private mutating func nextVersion() -> Int {
        versions += 1
        return versions
    }

    /// Some live rows expire within seconds.
    private mutating func time(expired: Bool) -> Int64 {
        let cutoff = now - AppTables.keep
        if expired { return cutoff - Int64.random(in: 60...86_400 * 300, using: &generator) }
        return cutoff + (chance(10) ? 2 : Int64.random(in: 600...AppTables.keep, using: &generator))
    }

    /// Compares the model with the database in a transaction, which may then change the schema.
    mutating func compare(
        on connection: some AppConnection, with begin: String,
        then change: (inout Self) -> String = { _ in "" }
    ) throws {
        try connection.execute(begin)
        try compareAll(on: connection)
        try connection.execute(change(&self) + "; COMMIT")
    }

    private mutating func compareAll(on connection: some AppConnection) throws {
        let size = "(length(body) - length(version || '') - 1)"
        let found = try connection.rows(
            """
            SELECT id, feed, received, \(starred), version, \(size), marked,
                (SELECT count(*) FROM label WHERE label.item = \(item).id),
                (SELECT count(*) FROM child WHERE child.item = \(item).id),
                body = version || '.' || substr('\(AppRow.filling)', 1, \(size)) FROM \(item)
            """)
        var rows = [String: AppRow](minimumCapacity: found.count)
        for values in found {
            let row = AppRow(
                feed: Int(values[1]) ?? 0, received: tables.time(values[2]), starred: values[3] == "1",
                version: Int(values[4]) ?? 0, size: Int(values[5]) ?? 0, marked: values[6] == "1",
                labels: Int(values[7]) ?? 0, children: Int(values[8]) ?? 0)
            if !["1", "t"].contains(values[9]) { model.findings.append("\(values[0]) has another text") }
            rows[values[0]] = row
        }
        let tombstones = try connection.rows("SELECT item FROM gone").map { $0[0] }
        model.compare(rows, tombstones: Set(tombstones), at: now)
    }
}
