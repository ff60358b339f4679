import Pruning
import Testing

struct BatchPacerTests {
    private func batch(
        held: Duration, visited: Int, deleted: Int? = nil, others: Bool = false, waited: Duration = .zero
    ) -> BatchResult {
        BatchResult(
            deleted: Int64(deleted ?? visited), dependentsDeleted: 0, visited: visited, held: held,
            waited: waited,
            othersWrote: others, isLast: false)
    }

    /// What a table does with batches: each row keeps the lock for `perRow`.
    private func settled(perRow: Duration, hold: Duration, others: Bool = false) -> BatchPacer {
        var pacer = BatchPacer(hold: hold)
        for _ in 0..<60 {
            pacer.record(batch(held: perRow * pacer.rows, visited: pacer.rows, others: others))
        }
        return pacer
    }

    @Test("a batch that ends early makes the next one larger, twice at the most")
    func grows() {
        var pacer = BatchPacer(hold: .milliseconds(10))
        let first = pacer.rows
        pacer.record(batch(held: .microseconds(1), visited: first))
        #expect(pacer.rows == 2 * first)
    }

    @Test(
        "a batch that takes too long makes the next one smaller, to a quarter at the least",
        arguments: [(10, 16), (1_000, 8)])
    func shrinksAfterLongBatches(held: Int, rows: Int) {
        var pacer = BatchPacer(hold: .milliseconds(10))
        pacer.record(batch(held: .milliseconds(held), visited: pacer.rows))
        #expect(pacer.rows == rows)
    }

    @Test("a cost that does not depend on the size is paid back, and does not shrink batches to nothing")
    func fixedCost() {
        var pacer = BatchPacer(hold: .milliseconds(10))
        for _ in 0..<60 {
            pacer.record(
                batch(held: .milliseconds(8) + .microseconds(10) * pacer.rows, visited: pacer.rows))
        }
        #expect((600...1_000).contains(pacer.rows))
    }

    @Test(
        "batches settle well below the limit, and at a third of that while others write",
        arguments: [Duration.microseconds(1), .microseconds(20), .microseconds(400)], [1, 10, 100])
    func settles(perRow: Duration, milliseconds: Int) {
        let hold = Duration.milliseconds(milliseconds)
        let quiet = perRow * settled(perRow: perRow, hold: hold).rows
        let shared = perRow * settled(perRow: perRow, hold: hold, others: true).rows
        #expect(quiet > hold * 0.4 - perRow && quiet <= hold * 0.5 + perRow)
        #expect(shared > hold * 0.13 - perRow && shared <= hold * 0.17 + perRow)
    }

    @Test("having waited for the lock counts as others writing")
    func waiting() {
        var (waited, free) = (BatchPacer(hold: .milliseconds(30)), BatchPacer(hold: .milliseconds(30)))
        waited.record(batch(held: .milliseconds(5), visited: 32, waited: .milliseconds(2)))
        free.record(batch(held: .milliseconds(5), visited: 32))
        #expect(waited.rows == 32)
        #expect(free.rows == 64)
    }

    @Test("some time after others wrote, batches grow again")
    func quietAgain() {
        var pacer = settled(perRow: .microseconds(10), hold: .milliseconds(10), others: true)
        #expect(pacer.rows < 200)
        for _ in 0..<60 { pacer.record(batch(held: .microseconds(10) * pacer.rows, visited: pacer.rows)) }
        #expect(pacer.rows > 400)
    }

    @Test("a batch is never less than a row nor more than a million")
    func limits() {
        #expect(settled(perRow: .seconds(1), hold: .milliseconds(1)).rows == 1)
        #expect(settled(perRow: .nanoseconds(1), hold: .seconds(10)).rows == 1_000_000)
    }

    @Test(
        "the pause is as long as the batch, and a millisecond at least",
        arguments: [(0, 1_000), (5, 1_000), (1_000, 1_000), (1_001, 1_001), (250_000, 250_000)])
    func pause(held: Int, pause: Int) {
        var pacer = BatchPacer(hold: .milliseconds(10))
        pacer.record(batch(held: .microseconds(held), visited: 32))
        #expect(pacer.pause == .microseconds(pause))
    }

    @Test("a batch with nothing to visit says nothing about the size")
    func nothingVisited() {
        var pacer = BatchPacer(hold: .milliseconds(10))
        pacer.record(batch(held: .zero, visited: 0))
        #expect(pacer.rows == 32)
    }

    @Test("while few of its rows are expired, a batch grows no further than 2,000 rows")
    func sparse() {
        var pacer = BatchPacer(hold: .milliseconds(10))
        for _ in 0..<60 {
            pacer.record(batch(held: .microseconds(1), visited: pacer.rows, deleted: pacer.rows / 3))
        }
        #expect(pacer.rows == 2_000)
    }

    @Test("a full disk halves the batch, down to one row")
    func full() {
        var pacer = BatchPacer(hold: .milliseconds(10))
        var sizes: [Int] = []
        while pacer.shrink() { sizes.append(pacer.rows) }
        #expect(sizes == [16, 8, 4, 2, 1])
        #expect(pacer.rows == 1)
    }
}
