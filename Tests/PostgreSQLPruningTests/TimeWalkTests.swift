import FoundationEssentials
import Testing

@testable import PostgreSQLPruning

@Suite struct TimeWalkTests {
    @Test(
        "slices follow each other without a gap, open at both ends, whatever their sizes are",
        arguments: [0, 1, 1_000, 1_000_000] as [Int64], [0, 1, 86_400, 1e9])
    func slices(rows: Int64, span: Double) {
        let end = Date(timeIntervalSince1970: 1_795_176_000)
        var walk = TimeWalk(from: end - span, to: end, rows: rows)
        var (last, count) = (nil as Date?, 0)
        while let range = walk.next([1, 7, 3, 200][count % 4]) {
            #expect(range.lower == last, "\(count)")
            // What is said of the oldest row after an empty slice may be late, and moves no bound.
            let next = count % 3 == 1 ? range.upper.map { $0 + span / 10 } : nil
            #expect(range.upper.map { $0 < end && $0 > last ?? .distantPast } ?? true)
            walk.pass(range, next: next)
            (last, count) = (range.upper, count + 1)
            guard count < 100_000 else { break }
        }
        #expect(walk.isOver && last ?? end <= end)
    }
}
