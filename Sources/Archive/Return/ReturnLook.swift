import Pruning

/// Looks for rows of a rule's table that came back after the rule had deleted them, and leaves the store to its app between
/// two pieces. It never has more than a part of the identities in memory.
package struct ReturnLook<Search: ReturnSearch> {
    private let task: PruneTask
    private let archive: any RowArchive
    private let search: Search
    private let place: String
    private let control: RunControl
    private let mostInMemory: Int

    package init(
        _ task: PruneTask, in archive: any RowArchive, _ search: Search, place: String, _ control: RunControl,
        mostInMemory: Int = 200_000
    ) {
        (self.task, self.archive, self.search, self.place) = (task, archive, search, place)
        (self.control, self.mostInMemory) = (control, mostInMemory)
    }

    /// See ``ViewContext/cameBack(of:)``.
    package func take() throws(StoreError) -> Int64? {
        guard let source = search.source, let identities = try archive.openIdentities(of: source, control)
        else { return nil }
        defer { identities.close() }
        let (look, pieces) = try search.begin(since: identities.lastLook)
        var found: [UInt64] = []
        for piece in pieces { try pass(piece, &found, identities) }
        found.putInOrder()
        try identities.take(found)
        return try identities.end(look)
    }

    private static var firstRows: Int { 256 }
    private static var mostRows: Int { 65_536 }
    private static var usualTime: Duration { .milliseconds(50) }
    private static var shortestPause: Duration { .milliseconds(1) }
    private static var longestPause: Duration { .seconds(1) }

    /// Adds the identities of the rows of `piece` to `found`. If these are too many, takes them first.
    private func pass(
        _ piece: Search.Piece, _ found: inout [UInt64], _ archived: any ArchivedIdentities
    ) throws(StoreError) {
        var (rest, rows): (Search.Piece?, Int) = (piece, Self.firstRows)
        while let piece = rest {
            try checkStop()
            if found.count >= mostInMemory {
                found.putInOrder()
                try archived.take(found)
                found.removeAll(keepingCapacity: true)
            }
            let begin = control.monotonic()
            let read = try search.read(piece, rows: min(rows, mostInMemory - found.count))
            let taken = control.monotonic() - begin
            found += read.identities
            rest = read.rest
            let pace = search.pace
            let target = pace?.target ?? Self.usualTime
            let factor = taken > .zero ? min(2, max(0.25, target / taken)) : 2
            rows = min(Self.mostRows, max(1, Int(Double(rows) * factor)))
            if let pace, rest != nil {
                control.pause(min(Self.longestPause, max(Self.shortestPause, taken * pace.pause)))
            }
        }
    }

    private func checkStop() throws(StoreError) {
        guard let reason = control.stopReason else { return }
        throw StoreError(
            .interrupted, operation: RuleWork.lookForReturned.of(task.rule.table), place: place, cause: reason
        )
    }
}

extension [UInt64] {
    /// Leaves each once, in ascending order.
    fileprivate mutating func putInOrder() {
        sort()
        var kept = 0
        for index in indices where kept == 0 || self[kept - 1] != self[index] {
            self[kept] = self[index]
            kept += 1
        }
        removeLast(count - kept)
    }
}
