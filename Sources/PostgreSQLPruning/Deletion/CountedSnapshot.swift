/// Which transactions had committed when rows were counted. The oldest one that was open then does not tell: it may be older
/// than the rows, on a server where any database has a long transaction.
struct CountedSnapshot {
    /// The first transaction that had not begun.
    private let end: String
    /// Those that were open, as an array.
    private let open: String

    /// The snapshot of the next statement, or of the transaction if it has one.
    init(in connection: Connection) throws {
        let found = try connection.query(
            """
            SELECT pg_snapshot_xmax(s)::xid, ARRAY(SELECT x::xid FROM pg_snapshot_xip(s) x) FROM pg_current_snapshot() s
            """)
        (end, open) = (found.text(0, 0) ?? "0", found.text(0, 1) ?? "{}")
    }

    /// SQL that is true if the transaction `xid` had committed: what it wrote has not changed since. A snapshot does not name
    /// open subtransactions, so what one of these wrote counts, too: a rule may fail, but no row is passed in silence.
    func hadCommitted(_ xid: String) -> String {
        "age(\(xid)) > age('\(end)'::xid) AND \(xid) <> ALL ('\(open)'::xid[])"
    }
}
