import Foundation

/// The directories of one case: a store that its app shares, a state directory, and what nobody may touch.
struct Neighbourhood {
    let directory: String
    let scenario: HostileScenario

    /// What others can change: the store's directory, and with it what is above it.
    var shared: String { scenario.isInState ? state : outer + "/inner/app" }
    var outer: String { directory + "/outer" }
    var state: String { directory + "/state" }
    var configuration: String { directory + "/pruned.toml" }
    var store: String { shared + "/app.sqlite" }
    /// Another store of the app's, in the same directory.
    var spare: String { shared + "/spare.sqlite" }
    /// Files of the program's user with the names of the app's; see ``Victims``.
    var victims: String { directory + "/victims" }

    /// The rows that must never go.
    static let live = (61...100).map(Int64.init)
    /// Those that expired long ago.
    static let expired = (1...60).map(Int64.init)

    private var user: Neighbour { scenario.isOwnedByRoot ? .root : .program }

    /// Makes them as they are before a run.
    func make() throws {
        for path in [
            outer, outer + "/inner", outer + "/inner/app", state, victims, victims + "/app",
            victims + "/app/folder",
        ] {
            guard mkdir(path, 0o755) == 0 else { throw POSIXError(.EEXIST) }
        }
        for path in [outer, outer + "/inner"] { try Neighbour.app.own(path, mode: 0o755) }
        try Neighbour.app.own(outer + "/inner/app", mode: 0o2770)
        try user.own(state, mode: scenario.isInState ? 0o2770 : 0o700)
        for path in [store, spare] {
            try makeStore(path)
            try Neighbour.app.own(path, mode: 0o660)
        }
        try makeStore(victims + "/app/app.sqlite")
        // Under the names of the ledger, too: a link may lead from its directory to theirs.
        let notes = ["note", "folder/note", "state.sqlite", "state.sqlite-journal", "archive.sqlite"]
        for name in notes {
            try "precious".write(toFile: victims + "/app/" + name, atomically: false, encoding: .utf8)
        }
        for name in notes + ["app.sqlite"] { try user.own(victims + "/app/" + name, mode: 0o600) }
        for name in ["/app/folder", "/app"] { try user.own(victims + name, mode: 0o700) }
        if scenario == .damagedState {
            let ledger = state + "/ledger"
            guard mkdir(ledger, 0o750) == 0 else { throw POSIXError(.EEXIST) }
            try user.own(ledger, mode: 0o2750)
            try "no database".write(toFile: ledger + "/state.sqlite", atomically: false, encoding: .utf8)
            try user.own(ledger + "/state.sqlite", mode: 0o640)
        }
        try """
        [store.app]
        path = "\(store)"
        [rule.old]
        table = "item"
        age_column = "at"
        keep = "30d"
        archive = true
        identity = "note"
        """.write(toFile: configuration, atomically: false, encoding: .utf8)
    }

    private func makeStore(_ path: String) throws {
        let store = try StoreFile(path)
        try store.execute(
            """
            PRAGMA journal_mode = \(scenario.journalMode);
            CREATE TABLE item (id INTEGER PRIMARY KEY, at INTEGER, note TEXT);
            CREATE INDEX item_at ON item (at);
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
            INSERT INTO item SELECT i, unixepoch() - CASE WHEN i > 60 THEN 100 ELSE 10000000 END, 'note ' || i FROM n;
            """)
    }

    /// The path below ``shared`` that others could change while the program works on `path`; the store for one above.
    func target(of path: String) -> String? {
        guard path.hasPrefix(shared + "/") else {
            return path == shared || !scenario.isInState && (path == outer || path == outer + "/inner")
                ? store : nil
        }
        let name = path.dropFirst(shared.count + 1).prefix { $0 != "/" }
        return shared + "/" + name
    }

    func command(_ program: String) -> [String] {
        [program, "--run-now", "--state-dir", state, "--config", configuration, "--json"]
    }
}
