import SQLite

/// What tells that something in the archive is as it was written, as SQLite keeps integers.
enum ArchiveChecksum {
    /// Of a batch of rows: of what stands in its columns that say how the rows are to be read, and of the rows.
    static func batch(_ columns: String, place: DatabaseValue, count: DatabaseValue, rows: [UInt8]) -> Int64 {
        var head = Array(columns.utf8)
        RowEncoding.append(place.integer, to: &head)
        RowEncoding.append(count.integer, to: &head)
        return Int64(bitPattern: XXHash64.hash(rows, seed: XXHash64.hash(head)))
    }

    /// Of the fingerprints of a lease.
    static func lease(_ fingerprints: [UInt8]) -> Int64 {
        Int64(bitPattern: XXHash64.hash(fingerprints))
    }
}
