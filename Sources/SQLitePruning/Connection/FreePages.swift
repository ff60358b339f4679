import Pruning
import SQLite

/// The free pages of a database with `auto_vacuum = INCREMENTAL`. Its app chooses that mode, and pruned never changes
/// it.
enum FreePages {
    /// The size of the database and of its free part; nil if the database is not in that mode.
    static func space(in db: Database) throws -> FreeSpace? {
        let row = try db.row(
            """
            SELECT page_size, page_count, freelist_count
            FROM pragma_page_size, pragma_page_count, pragma_freelist_count, pragma_auto_vacuum
            WHERE auto_vacuum = 2
            """)
        return row.map(space)
    }

    /// The size of the database and of its free part, in any mode.
    static func size(of db: Database) throws -> FreeSpace {
        let row = try db.rows(
            "SELECT page_size, page_count, freelist_count FROM pragma_page_size, pragma_page_count, pragma_freelist_count"
        )[0]
        return space(row)
    }

    /// Gives up to `count` pages back to the file system, inside a write transaction. Pages in use at the end of the
    /// file move into free ones.
    ///
    /// If a page at the end is itself free, SQLite must find it in the list of free pages, which may be long. The time
    /// of one page therefore says little about the next, so the time is checked after each.
    static func giveBack(
        _ count: Int, within limit: Duration, in db: Database, monotonic: @Sendable () -> Duration
    ) throws -> (pages: Int64, isLast: Bool) {
        let begin = monotonic()
        let before = try pages(in: db)
        try vacuum(count, in: db) { monotonic() - begin < limit }
        let given = try before - pages(in: db)
        let left = try db.value("PRAGMA freelist_count").integer
        return (given, left == 0 || given == 0)
    }

    /// SQLite returns a row for each page, and frees no more pages than there were steps. The statement must be reset
    /// before a COMMIT.
    private static func vacuum(_ count: Int, in db: Database, while hasTime: () -> Bool) throws {
        let freed = try Statement("PRAGMA incremental_vacuum(\(count))", on: db.handle)
        defer { freed.reset() }
        while try freed.step(), hasTime() {}
    }

    /// From the columns page_size, page_count and freelist_count.
    private static func space(_ row: Row) -> FreeSpace {
        let (page, count, free) = (row[0].integer, row[1].integer, row[2].integer)
        return FreeSpace(bytes: count * page, freeBytes: free * page, unitBytes: page)
    }

    /// The size of a page, in bytes.
    static func pageBytes(in db: Database) throws -> Int64 { try db.value("PRAGMA page_size").integer }

    private static func pages(in db: Database) throws -> Int64 {
        try db.value("PRAGMA page_count").integer
    }
}
