import CSQLite
import SQLite

/// The list of a database's free pages, as its file has it. Pages in use move into the pages that the list names: one that
/// is damaged may name pages that are in use, and their rows would be written over.
///
/// See sqlite.org/fileformat.html#the_freelist and #pointer_map_or_ptrmap_pages.
struct FreeList {
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let pageSize: Int
    private let pages: Int
    /// How many pages follow a page of the pointer map before the next one.
    private let mapped: Int
    /// The page that contains the byte at which SQLite locks the file; it is never used.
    private let lockPage: Int

    /// Why the list is damaged: it names a page that is in use or does not exist. Nil if it is whole. To be called in a
    /// transaction, of a database that is all in its file, as it is without a write-ahead log.
    static func damage(in db: Database) throws -> String? {
        _ = try db.schemaVersion()  // takes the lock
        guard let file = db.file else { return nil }
        let pageSize = Int(try db.value("PRAGMA page_size").integer)
        let list = FreeList(
            file: file, pageSize: pageSize, pages: Int(try db.value("PRAGMA page_count").integer),
            mapped: (pageSize - Int(try db.reservedBytes())) / entrySize,
            lockPage: 0x4000_0000 / pageSize + 1)
        return try list.damage(reading: db)
    }

    private static let entrySize = 5
    /// What the pointer map says of a free page.
    private static let free: UInt8 = 2

    private func damage(reading db: Database) throws -> String? {
        let header = try read(from: 32, count: 8, in: db)
        let (first, count) = (number(in: header, at: 0), number(in: header, at: 4))
        // A list that leads back to itself must come to an end.
        guard count < pages else { return "the header says \(count) free pages of \(pages)" }
        var named: [Int] = []
        var trunk = first
        while trunk > 0 {
            guard trunk <= pages, named.count < count else { return "the list of free pages is damaged" }
            let page = try read(from: (trunk - 1) * pageSize, count: pageSize, in: db)
            let leaves = number(in: page, at: 4)
            guard leaves <= pageSize / 4 - 2 else { return "the list of free pages is damaged" }
            named.append(trunk)
            named += (0..<leaves).map { number(in: page, at: 8 + 4 * $0) }
            trunk = number(in: page, at: 0)
        }
        guard named.count == count else {
            return "the header says \(count) free pages, and the list has \(named.count)"
        }
        return try misnamed(named.sorted(), in: db).map {
            "page \($0) is in the list of free pages, and in use"
        }
    }

    /// The first of `named` that is not a free page, or the same as the one before it.
    private func misnamed(_ named: [Int], in db: Database) throws -> Int? {
        var (last, mapPage, map) = (0, 0, [UInt8]())
        for page in named {
            guard page > 2, page <= pages, page != last, page != lockPage else { return page }
            last = page
            var place = (page - 2) / (mapped + 1) * (mapped + 1) + 2
            if place == lockPage { place += 1 }
            guard page > place else { return page }
            if place != mapPage {
                (mapPage, map) = (place, try read(from: (place - 1) * pageSize, count: pageSize, in: db))
            }
            let entry = Self.entrySize * (page - place - 1)
            guard entry < map.count, map[entry] == Self.free else { return page }
        }
        return nil
    }

    private func number(in bytes: [UInt8], at place: Int) -> Int {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    private func read(from place: Int, count: Int, in db: Database) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let code =
            file.pointee.pMethods?.pointee.xRead?(file, &bytes, CInt(count), Int64(place)) ?? SQLITE_IOERR
        guard code == SQLITE_OK else { throw DatabaseError(code, of: db.handle) }
        return bytes
    }
}
