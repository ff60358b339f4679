/// Rows that a session of the app keeps locked, and has changed, for a while.
struct HeldRows {
    private enum Change: CaseIterable {
        case none, share, refresh, star, label, delete
    }

    private let keys: [String]
    private let change: Change
    private let received: Int64
    /// Where the keys were there.
    private let found: [String]

    init(in app: inout RandomApp, on connection: some ServerSession) throws {
        let tables = app.tables
        let chosen = (0..<Int.random(in: 1...30, using: &app.generator)).compactMap { _ in
            app.model.keys.randomElement(using: &app.generator)
        }
        keys = Array(Set(chosen)).sorted()
        change = Change.allCases.randomElement(using: &app.generator) ?? .none
        received = app.now
        let list = (keys.map(tables.literal) + ["NULL"]).joined(separator: ", ")
        let condition = "FROM \(app.item) WHERE id IN (\(list))"
        try connection.execute("BEGIN")
        // Only what it has locked is certain.
        let lock =
            change == .share
            ? connection.sharingRows : change == .label ? connection.lockingRow : " FOR UPDATE"
        let marks = try connection.rows("SELECT id, marked \(condition)\(lock)")
        found = marks.map { $0[0] }
        for mark in marks { app.model.see(mark[0], marked: mark[1] == "1", at: app.now) }
        for key in Set(keys).subtracting(found) { app.model.lose(key, at: app.now) }
        switch change {
        case .none, .share: break
        case .refresh:
            try connection.execute(
                "UPDATE \(app.item) SET received = \(tables.literal(received)) WHERE id IN (\(list))")
        case .star: try connection.execute("UPDATE \(app.item) SET \(app.starred) = 1 WHERE id IN (\(list))")
        case .label: try connection.execute("INSERT INTO label SELECT id, 'held' \(condition)")
        case .delete:
            try connection.execute("DELETE FROM label WHERE item IN (\(list)); DELETE \(condition)")
        }
        app.held = Set(found)
    }

    /// Commits or rolls back.
    func release(_ app: inout RandomApp, on connection: some ServerSession) throws {
        let commits = !app.chance(3)
        try connection.execute(commits ? "COMMIT" : "ROLLBACK")
        app.held = []
        guard commits else { return }
        for key in found {
            guard var row = app.model.rows[key] else { continue }
            switch change {
            case .none, .share: break
            case .refresh: row.received = received
            case .star: row.starred = true
            case .label: row.labels += 1
            case .delete:
                app.model.remove(key)
                continue
            }
            app.model.set(row, for: key)
        }
    }
}
