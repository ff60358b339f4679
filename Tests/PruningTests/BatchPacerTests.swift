import TestSupport
import Testing

@testable import Pruning

struct BatchPacerTests {
    private func batch(
        held: Duration, commit: Duration = .zero, visited: Int, deleted: Int? = nil, isAlone: Bool = true
    ) -> BatchWork {
        BatchWork(
            visited: visited, changed: Int64(deleted ?? visited), lockTime: held,
            commit: commit, isAlone: isAlone, isLast: false)
    }

    /// A pacer that knows that nobody else has the store open.
    private func alone(hold: Duration = .milliseconds(10)) -> BatchPacer {
        var pacer = BatchPacer(lockTime: hold)
        pacer.record(batch(held: .zero, visited: 0))
        return pacer
    }

    /// The same after its first batches, of rows that cost little.
    private func begun() -> BatchPacer {
        var pacer = alone()
        while pacer.rows < 32 { pacer.record(batch(held: .microseconds(10), visited: pacer.rows)) }
        return pacer
    }

    /// What a table does with batches: each row keeps the lock for `perRow`.
    private func settled(perRow: Duration, hold: Duration, isAlone: Bool = true) -> BatchPacer {
        var pacer = BatchPacer(lockTime: hold)
        for _ in 0..<60 {
            pacer.record(batch(held: perRow * pacer.rows, visited: pacer.rows, isAlone: isAlone))
        }
        return pacer
    }

    @Test(
        "a quiet run has the lock for a millisecond, and for less than a hundredth of the time, even while it is alone",
        arguments: [Duration.microseconds(1), .microseconds(30), .milliseconds(2)])
    func quiet(perRow: Duration) {
        var pacer = BatchPacer(lockTime: .milliseconds(10), isQuiet: true)
        var (locked, free) = (Duration.zero, Duration.zero)
        for number in 0..<60 {
            let held = perRow * pacer.rows
            // A try of larger batches has two rows where they are dear.
            if number > 10 { #expect(held <= max(.milliseconds(2), perRow * 2)) }
            pacer.record(batch(held: held, visited: pacer.rows))
            #expect(pacer.pause.least == pacer.pause.most)
            (locked, free) = (locked + held, free + pacer.pause.most)
        }
        #expect(locked * 100 < free)
    }

    @Test(
        "at a rate, no more rows go than in that time, and no batch but the first has more than go in a second, whoever is there",
        arguments: [1, 50, 3_000, 1_000_000], [(false, 0), (true, 0), (true, 20)])
    func rate(rate: Int, beside: (isAlone: Bool, dependents: Int64)) {
        var pacer = BatchPacer(lockTime: .milliseconds(10), rate: rate)
        var (rows, time) = (0 as Int64, Duration.zero)
        for number in 0..<60 {
            let size = pacer.rows
            // Each fourth batch finds little.
            let changed = Int64(number % 4 == 3 ? size / 2 : size)
            let gone = changed * (1 + beside.dependents)
            #expect(gone <= max(Int64(rate), 1 + beside.dependents))
            let held = Duration.microseconds(2) * size
            pacer.record(
                BatchWork(
                    visited: size, changed: changed, dependents: changed * beside.dependents, lockTime: held,
                    isAlone: beside.isAlone, isLast: false))
            (rows, time) = (rows + gone, time + held + pacer.pause.least)
            #expect(Double(rows) <= time / .seconds(1) * Double(rate) * 1.000_001 + 0.001)
        }
        #expect(rows > 0)
    }

    @Test("a quiet run that was ended leaves the lock free for long, and not for ever")
    func quietExcess() {
        var pacer = BatchPacer(lockTime: .seconds(1), isQuiet: true)
        let goesOn = pacer.beginAgain()
        #expect(goesOn)
        #expect(pacer.pause.most == .seconds(10))
    }

    @Test("a batch that ends early makes the next one larger, twice at the most")
    func grows() {
        var pacer = begun()
        let before = pacer.rows
        pacer.record(batch(held: .microseconds(1), visited: before))
        #expect(pacer.rows == 2 * before)
    }

    @Test("the first batch is one row, and where rows cost little there are 32 two batches later")
    func begins() {
        var pacer = alone()
        let sizes = (0..<4).map { _ in
            defer { pacer.record(batch(held: .microseconds(200), visited: pacer.rows)) }
            return pacer.rows
        }
        #expect(sizes == [1, 8, 32, 64])
    }

    @Test("where a row costs as much as a table, batches stay at one row, but for few of two that tell it")
    func dearRows() {
        var pacer = alone()
        let sizes = (0..<400).map { _ in
            defer { pacer.record(batch(held: .milliseconds(28) * pacer.rows, visited: pacer.rows)) }
            return pacer.rows
        }
        #expect(Array(sizes.prefix(20)) == [1, 2] + Array(repeating: 1, count: 18))
        #expect(sizes.max() == 2 && sizes.count { $0 == 2 } <= 6)
    }

    @Test("that rows are dear is seen as soon beside the batches that tell it")
    func dearRowsAreSlow() {
        var pacer = alone()
        for _ in 0..<60 {
            pacer.record(
                BatchResult(
                    deleted: Int64(pacer.rows), visited: pacer.rows, lockTime: .milliseconds(28) * pacer.rows,
                    effort: .milliseconds(28) * pacer.rows, isAlone: true, isLast: false))
        }
        #expect(pacer.slowRowsOnly != nil)
    }

    @Test(
        "where rows are what costs, small batches stay within the lock time while others have the store open",
        arguments: [100, 400, 1_000, 2_000, 4_900])
    func dearRowsBesideOthers(perRow: Int) {
        var pacer = BatchPacer(lockTime: .milliseconds(10))
        var longest = Duration.zero
        for _ in 0..<2_000 {
            let held = Duration.microseconds(perRow) * pacer.rows
            longest = max(longest, held)
            pacer.record(batch(held: held, visited: pacer.rows, isAlone: false))
        }
        #expect(longest <= .milliseconds(10))
    }

    /// What batches cost where each reads a keeper as a whole, unless all its rows go, and one row in four stays.
    struct Keeping: CustomTestStringConvertible, Sendable {
        let allGo, someStay: Duration
        /// By what part a busy machine makes a batch longer, at the most.
        let delay: Double
        let isAlone: Bool
        var testDescription: String { "\(allGo) or \(someStay), alone: \(isAlone)" }

        static let all = [
            Keeping(allGo: .microseconds(1_300), someStay: .milliseconds(5), delay: 0, isAlone: false),
            Keeping(allGo: .microseconds(1_300), someStay: .milliseconds(5), delay: 2, isAlone: false),
            Keeping(allGo: .microseconds(1_300), someStay: .milliseconds(5), delay: 2, isAlone: true),
            Keeping(allGo: .microseconds(1_300), someStay: .microseconds(2_600), delay: 1, isAlone: false),
            Keeping(allGo: .milliseconds(3), someStay: .milliseconds(12), delay: 1, isAlone: true),
            Keeping(allGo: .milliseconds(30), someStay: .milliseconds(60), delay: 0.5, isAlone: true),
        ]
    }

    @Test(
        "a part of the time that does not depend on the rows does not keep batches small, even one that some batches lack",
        arguments: Keeping.all)
    func fixedPartOfSome(keeping: Keeping) {
        for seed in 1...20 {
            var generator = SeededGenerator(seed: UInt64(seed))
            var pacer = BatchPacer(lockTime: .milliseconds(10))
            var (row, batches) = (0, 0)
            while row < 20_000 {
                let stay = (row + pacer.rows) / 4 - row / 4
                let usual =
                    (stay > 0 ? keeping.someStay : keeping.allGo) + .microseconds(4) * pacer.rows
                let held = usual * Double.random(in: 1...1 + keeping.delay, using: &generator)
                (row, batches) = (row + pacer.rows, batches + 1)
                pacer.record(
                    batch(
                        held: held, commit: .microseconds(300), visited: pacer.rows,
                        deleted: pacer.rows - stay, isAlone: keeping.isAlone))
            }
            #expect(batches < 5_000, "seed \(seed)")
        }
    }

    @Test("a slow commit does not keep batches at one row, however much it varies")
    func slowCommit() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<20 {
            var pacer = alone()
            for _ in 0..<60 {
                let commit = Duration.microseconds(Int.random(in: 8_000...24_000, using: &generator))
                pacer.record(
                    batch(held: commit + .microseconds(10) * pacer.rows, commit: commit, visited: pacer.rows))
            }
            #expect(pacer.rows > 100)
        }
    }

    @Test(
        "where another process works, rows are slow only after minutes of batches slower than their number of rows"
    )
    func slowServer() {
        func afterBatches(of rows: Int64, _ time: Duration, count: Int) -> Int? {
            var pacer = BatchPacer(lockTime: .milliseconds(10))
            for _ in 0..<count {
                let size = pacer.rows
                pacer.record(
                    BatchResult(
                        deleted: rows * Int64(size), visited: size, lockTime: time * size, isAlone: false,
                        isLast: false))
            }
            return pacer.slowRowsOnly
        }
        #expect(afterBatches(of: 1, .milliseconds(90), count: 1_000) == nil)
        #expect(afterBatches(of: 1, .milliseconds(90), count: 10_000) != nil)
        #expect(afterBatches(of: 30, .milliseconds(90), count: 10_000) == nil)
    }

    @Test("after a batch that was ended, one row is next, after a pause; the third time in a row is the last")
    func beginsAgain() {
        var pacer = begun()
        pacer.record(batch(held: .milliseconds(1), visited: pacer.rows, isAlone: false))
        let begins = (0..<4).map { _ in
            let goesOn = pacer.beginAgain()
            #expect(pacer.rows == 1)
            #expect(pacer.pause.most > .milliseconds(20))
            return goesOn
        }
        #expect(begins == [true, true, true, false])
        pacer.record(batch(held: .milliseconds(1), visited: 1))
        let goesOn = pacer.beginAgain()
        #expect(goesOn)
    }

    @Test(
        "a batch that takes too long makes the next one smaller, to a quarter at the least",
        arguments: [(14, 10...20), (1_000, 8...8)])
    func shrinksAfterLongBatches(held: Int, rows: ClosedRange<Int>) {
        var pacer = begun()
        pacer.record(batch(held: .milliseconds(held), visited: pacer.rows))
        #expect(rows.contains(pacer.rows))
    }

    @Test("a cost that does not depend on the size is paid back, and does not shrink batches to nothing")
    func fixedCost() {
        var pacer = alone()
        for _ in 0..<60 {
            let commit = Duration.milliseconds(8)
            pacer.record(
                batch(held: commit + .microseconds(10) * pacer.rows, commit: commit, visited: pacer.rows))
        }
        #expect((600...1_000).contains(pacer.rows))
    }

    @Test(
        "batches settle below the limit, and below a third of it while others have the store open",
        arguments: [Duration.microseconds(1), .microseconds(20), .microseconds(400)], [2, 10, 100])
    func settles(perRow: Duration, milliseconds: Int) {
        let hold = Duration.milliseconds(milliseconds)
        let quiet = perRow * settled(perRow: perRow, hold: hold).rows
        let shared = perRow * settled(perRow: perRow, hold: hold, isAlone: false).rows
        #expect(quiet > hold * 0.6 - perRow && quiet <= hold * 0.7 + perRow)
        #expect(shared > hold * 0.18 - perRow && shared <= hold * 0.21 + perRow)
    }

    @Test("batches shrink when somebody opens the store, and grow again when nobody has it open")
    func company() {
        var pacer = settled(perRow: .microseconds(10), hold: .milliseconds(10))
        #expect((600...700).contains(pacer.rows))
        for (isAlone, sizes) in [(false, 180...210), (true, 600...700)] {
            for _ in 0..<20 {
                pacer.record(
                    batch(held: .microseconds(10) * pacer.rows, visited: pacer.rows, isAlone: isAlone))
            }
            #expect(sizes.contains(pacer.rows))
        }
    }

    @Test("a batch is never less than a row nor more than a million")
    func limits() {
        #expect(settled(perRow: .seconds(1), hold: .milliseconds(1)).rows == 1)
        #expect(settled(perRow: .nanoseconds(1), hold: .seconds(10)).rows == 1_000_000)
    }

    @Test("nobody waits for a store that nobody else has open: there is no pause", arguments: [0, 5, 250])
    func noPause(held: Int) {
        var pacer = BatchPacer(lockTime: .milliseconds(10))
        pacer.record(batch(held: .milliseconds(held), visited: 32))
        #expect(pacer.pause == .none)
    }

    @Test(
        "the pause is long enough for whoever began to wait at any instant of the batch to ask again",
        arguments: [100, 900, 1_100, 3_000, 3_100, 10_000, 60_000])
    func pause(microseconds: Int) {
        let held = Duration.microseconds(microseconds)
        var pacer = BatchPacer(lockTime: .milliseconds(10))
        pacer.record(batch(held: held, visited: 32, isAlone: false))
        // When SQLite's busy handler asks, after the first refusal; each time it may be a little late.
        let questions = [1, 3, 8, 18, 33, 53, 78].map { Duration.milliseconds($0) * 1.02 }
        for arrival in 0..<microseconds {
            let left = held - .microseconds(arrival)
            #expect(questions.contains { $0 >= left && $0 < left + pacer.pause.most })
        }
    }

    @Test("a batch with nothing to visit says nothing about the size")
    func nothingVisited() {
        var pacer = alone()
        pacer.record(batch(held: .zero, visited: 0))
        #expect(pacer.rows == 1)
    }

    @Test("where few rows are expired, a batch grows no further than if all might be")
    func sparse() {
        var pacer = alone()
        for _ in 0..<60 {
            // Looking at a row costs nothing here, deleting it 100 us.
            let deleted = pacer.rows / 16
            pacer.record(
                batch(held: .microseconds(100) * max(1, deleted), visited: pacer.rows, deleted: deleted))
        }
        #expect((150...220).contains(pacer.rows))
    }

    @Test("a full disk halves the batch, down to one row")
    func full() {
        var pacer = begun()
        var sizes: [Int] = []
        while pacer.shrink() { sizes.append(pacer.rows) }
        #expect(sizes == [16, 8, 4, 2, 1])
        #expect(pacer.rows == 1)
    }
}
