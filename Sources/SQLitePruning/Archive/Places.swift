import SQLite

/// Where restores put rows of an archived batch: their rowids in the store, by their positions in the batch. A restore
/// that was killed may not have put them there.
///
/// A row without a key has no other name. It stays in the archive until its whole batch is processed. Meanwhile its
/// place distinguishes it from an equal row.
struct Places {
    private var rowIDs: [Int: [Int64]] = [:]

    var isEmpty: Bool { rowIDs.isEmpty }

    subscript(position: Int) -> [Int64] { rowIDs[position] ?? [] }

    mutating func add(_ rowID: Int64, at position: Int) {
        rowIDs[position, default: []].append(rowID)
    }

    /// The places of the positions from `start` on, which are counted from `newStart` instead.
    func moved(from start: Int, to newStart: Int) -> Places {
        var moved = Places()
        for (position, all) in rowIDs where position >= start {
            moved.rowIDs[position - start + newStart] = all
        }
        return moved
    }
}

extension Places {
    /// Decodes values that ``blob`` encoded.
    init(in values: [DatabaseValue]) {
        for value in values {
            let numbers = FingerprintEncoding.fingerprints(in: value)
            for index in stride(from: 0, to: numbers.count - 1, by: 2) {
                add(Int64(bitPattern: numbers[index + 1]), at: Int(truncatingIfNeeded: numbers[index]))
            }
        }
    }

    /// The places as the archive stores them.
    var blob: DatabaseValue {
        let numbers = rowIDs.flatMap { position, all in
            all.flatMap { [UInt64(truncatingIfNeeded: position), UInt64(bitPattern: $0)] }
        }
        return FingerprintEncoding.blob(numbers)
    }
}

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
