/// Where restores put rows of an archived batch: their rowids in the store, by their positions in the batch. A restore
/// that was killed may not have put them there.
///
/// A row without a key has no other name. It stays in the archive until its whole batch is processed. Meanwhile its
/// place distinguishes it from an equal row.
package struct Places: Equatable, Sendable {
    private var rowIDs: [Int: [Int64]] = [:]

    var isEmpty: Bool { rowIDs.isEmpty }

    package subscript(position: Int) -> [Int64] { rowIDs[position] ?? [] }

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
    /// Decodes what ``bytes`` encoded, of each lease.
    init(in leases: [[UInt8]]) {
        for lease in leases {
            let numbers = FingerprintEncoding.fingerprints(in: lease)
            for index in stride(from: 0, to: numbers.count - 1, by: 2) {
                add(Int64(bitPattern: numbers[index + 1]), at: Int(truncatingIfNeeded: numbers[index]))
            }
        }
    }

    /// The places as the archive stores them.
    var bytes: [UInt8] {
        FingerprintEncoding.bytes(
            rowIDs.flatMap { position, all in
                all.flatMap { [UInt64(truncatingIfNeeded: position), UInt64(bitPattern: $0)] }
            })
    }
}
