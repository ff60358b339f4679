import CCampaign

/// What clocks in a time zone show, by the C library. It shares nothing with how pruned reads a zone.
struct LibraryZone: Sendable {
    struct Change: Sendable {
        /// The Unix second from which the offset holds.
        let second: Int64
        let before: Int64
        let after: Int64
    }

    /// As in the variable TZ.
    let name: String
    private let first: Int64
    /// Ascending.
    let changes: [Change]

    /// Knows the zone from `start` to `end`. No zone changes its clocks twice within three hours.
    init(_ name: String, from start: Int64, to end: Int64) {
        let offset = { Int64(campaign_offset(name, $0)) }
        self.name = name
        first = offset(Int(start))
        var changes: [Change] = []
        var (known, before) = (start, first)
        while known < end {
            let next = known + 3 * 3_600
            let after = offset(Int(next))
            if after != before {
                var (early, late) = (known, next)
                while late - early > 1 {
                    let middle = (early + late) / 2
                    if offset(Int(middle)) == before { early = middle } else { late = middle }
                }
                changes.append(Change(second: late, before: before, after: after))
            }
            (known, before) = (next, after)
        }
        self.changes = changes
    }

    /// The changes from `start` to before `end`.
    func changes(from start: Int64, to end: Int64) -> ArraySlice<Change> {
        changes[place(of: start)..<place(of: end)]
    }

    func offset(at second: Int64) -> Int64 {
        let next = place(of: second + 1)
        return next == 0 ? first : changes[next - 1].after
    }

    /// The first instant at which clocks show `reading`, seconds as if they showed UTC. Of a reading that was skipped, the
    /// earliest instant that it can mean.
    func earliest(showing reading: Int64) -> Int64 {
        instants(showing: reading).min() ?? reading
    }

    /// The last instant at which clocks show `reading`, or the latest that it can mean.
    func latest(showing reading: Int64) -> Int64 {
        instants(showing: reading).max() ?? reading
    }

    /// Those at which clocks show it, or else the two that it means by the offset before and the one after the gap.
    private func instants(showing reading: Int64) -> [Int64] {
        let near = changes(from: reading - 2 * 86_400, to: reading + 2 * 86_400)
        let offsets = [offset(at: reading - 2 * 86_400)] + near.map(\.after)
        let shown = offsets.map { reading - $0 }.filter { offset(at: $0) == reading - $0 }
        if !shown.isEmpty { return shown }
        let gap = near.first { $0.second + $0.before <= reading && reading < $0.second + $0.after }
        return gap.map { [reading - $0.before, reading - $0.after] } ?? []
    }

    /// How many changes are before `second`.
    private func place(of second: Int64) -> Int {
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].second < second { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
