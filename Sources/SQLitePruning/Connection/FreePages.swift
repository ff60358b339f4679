import Pruning
import SQLite

/// The free pages of a database that was made for giving them back: `auto_vacuum = INCREMENTAL`, which is its app's
/// choice, and is never changed.
enum FreePages {
    /// How much of the database is free; nil when it is not made for giving free pages back.
    static func space(in db: Database) throws -> FreeSpace? {
        let row = try db.row(
            """
            SELECT page_size, page_count, freelist_count
            FROM pragma_page_size, pragma_page_count, pragma_freelist_count, pragma_auto_vacuum
            WHERE auto_vacuum = 2
            """)
        return row.map(space)
    }

    /// How large the database is, and how much of it is free, for whatever it was made.
    static func size(of db: Database) throws -> FreeSpace {
        let row = try db.rows(
            "SELECT page_size, page_count, freelist_count FROM pragma_page_size, pragma_page_count, pragma_freelist_count"
        )[0]
        return space(row)
    }

    /// Gives up to `count` pages back, inside a write transaction: pages in use at the file's end move into free ones.
    ///
    /// A page at the end that is itself free has to be found in the list of free pages, which is as long as there are
    /// many: what one page took says little about the next, so the time is looked at after each.
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

    /// SQLite answers with a row for each page. What was not stepped over stays as it is, and the statement has to be gone
    /// before a COMMIT.
    private static func vacuum(_ count: Int, in db: Database, while hasTime: () -> Bool) throws {
        let freed = try Statement("PRAGMA incremental_vacuum(\(count))", on: db.handle)
        defer { freed.reset() }
        while try freed.step(), hasTime() {}
    }

    /// Of the columns page_size, page_count and freelist_count.
    private static func space(_ row: Row) -> FreeSpace {
        let (page, count, free) = (row[0].integer, row[1].integer, row[2].integer)
        return FreeSpace(bytes: count * page, freeBytes: free * page, unitBytes: page)
    }

    /// The size of a page.
    static func pageBytes(in db: Database) throws -> Int64 { try db.value("PRAGMA page_size").integer }

    private static func pages(in db: Database) throws -> Int64 {
        try db.value("PRAGMA page_count").integer
    }
}
