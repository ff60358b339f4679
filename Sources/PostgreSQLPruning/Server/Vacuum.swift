import Pruning

/// Makes the space of deleted rows usable again, table by table.
struct Vacuum {
    /// The tables that are left to do.
    private var tables: [Relation]
    private let isPooled: Bool

    init(_ tables: [Relation], isPooled: Bool) { (self.tables, self.isPooled) = (tables, isPooled) }

    var isOver: Bool { tables.isEmpty }

    /// Vacuums the next table. It gives no space back to the file system, which would need a lock on the whole table.
    ///
    /// A VACUUM that is refused or skipped is only a warning to the server, so these are looked for.
    mutating func step(on connection: Connection) throws {
        guard let table = tables.popLast() else { return }
        // Behind a pooler a setting of the session would be another client's.
        if !isPooled {
            try connection.run(
                "SET vacuum_cost_delay = '2ms'; SET lock_timeout = '1s'; SET statement_timeout = 0; "
                    + TransactionKind.noTransactionTimeout(isLocal: false))
        }
        try connection.run("VACUUM (SKIP_LOCKED, TRUNCATE false, INDEX_CLEANUP auto) \(table.sql)")
        guard let warning = connection.warnings.messages.first else { return }
        throw StoreError(
            .schema, operation: "vacuum \(table.description)", place: connection.place, cause: warning,
            hint: "only the owner of a table may vacuum it: set reclaim = false, and leave it to autovacuum")
    }
}
