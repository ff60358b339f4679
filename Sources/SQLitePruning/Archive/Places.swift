import SQLite

/// Where rows of an archived batch were put into the store, or would have been, had nobody been killed: their rowids there,
/// by their positions in the batch.
///
/// A row without a key has no other name. It is in the archive until all of its batch is back, and this tells it from one
/// that is the same.
struct Places {
    private var rowIDs: [Int: [Int64]] = [:]

    var isEmpty: Bool { rowIDs.isEmpty }

    subscript(position: Int) -> [Int64] { rowIDs[position] ?? [] }

    mutating func add(_ rowID: Int64, at position: Int) {
        rowIDs[position, default: []].append(rowID)
    }

    /// Those of the positions from `start`, which are counted from `newStart` instead.
    func moved(from start: Int, to newStart: Int) -> Places {
        var moved = Places()
        for (position, all) in rowIDs where position >= start {
            moved.rowIDs[position - start + newStart] = all
        }
        return moved
    }
}

extension Places {
    /// Those that `values` are; see ``blob``.
    init(in values: [DatabaseValue]) {
        for value in values {
            let numbers = FingerprintEncoding.fingerprints(in: value)
            for index in stride(from: 0, to: numbers.count - 1, by: 2) {
                add(Int64(bitPattern: numbers[index + 1]), at: Int(truncatingIfNeeded: numbers[index]))
            }
        }
    }

    /// As the archive stores them.
    var blob: DatabaseValue {
        let numbers = rowIDs.flatMap { position, all in
            all.flatMap { [UInt64(truncatingIfNeeded: position), UInt64(bitPattern: $0)] }
        }
        return FingerprintEncoding.blob(numbers)
    }
}

/// What tells that something in the archive is as it was written, as SQLite stores integers.
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
