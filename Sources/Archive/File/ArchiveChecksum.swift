import SQLite

/// Checksums that show whether something in the archive is unchanged, as SQLite's integers.
enum ArchiveChecksum {
    /// The checksum of a batch: of its rows, and of the columns that describe how to read them.
    static func batch(_ columns: String, place: DatabaseValue, count: DatabaseValue, rows: [UInt8]) -> Int64 {
        var head = Array(columns.utf8)
        RowEncoding.append(place.integer, to: &head)
        RowEncoding.append(count.integer, to: &head)
        return Int64(bitPattern: XXHash64.hash(rows, seed: XXHash64.hash(head)))
    }

    /// The checksum of the fingerprints of a lease.
    static func lease(_ fingerprints: [UInt8]) -> Int64 {
        Int64(bitPattern: XXHash64.hash(fingerprints))
    }
}
