import TestSupport

@testable import Pruning

/// Apps that write now and then with SQLite's busy handler, in a simulation; one of 50 of its sleeps is up to 2 ms too long.
/// Times are milliseconds.
struct WaitingWriters {
    private struct Writer {
        let period: Double
        var due = 0.0
        var next = 0.0
        var refusals = 0
    }

    private var writers: [Writer]
    private var chance = SeededGenerator(seed: 7)
    private var waits: [Double] = []

    /// Writers that write every so many milliseconds, each later if it had to wait for longer.
    init(periods: [Double]) {
        writers = periods.map { Writer(period: $0) }
    }

    /// How long each of so many writes waited, in order, while batches of such lengths are deleted.
    consuming func waits(of writes: Int, besideBatchesOf lengths: ClosedRange<Double>) -> [Double] {
        var pacer = BatchPacer(lockTime: .milliseconds(10))
        var now = 0.0
        while waits.count < writes {
            let held = Double.random(in: lengths, using: &chance)
            refuse(until: now + held, from: now)
            now += held
            pacer.record(
                BatchResult(
                    deleted: 1, visited: 1, lockTime: .microseconds(Int(held * 1_000)),
                    isAlone: false, isLast: false))
            let (least, most) = (pacer.pause.least / .milliseconds(1), pacer.pause.most / .milliseconds(1))
            let first = writers.map { max(now, $0.next) }.min() ?? .infinity
            let end = first < now + most ? max(now + least, first) : now + most
            pacer.paused(uses: serve(until: end, from: now), in: .microseconds(Int((end - now) * 1_000)))
            now = end
        }
        return waits.sorted()
    }

    /// Who asks while a batch has the lock asks again later.
    private mutating func refuse(until end: Double, from start: Double) {
        let sleeps = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]
        for index in writers.indices {
            while writers[index].next < end {
                let late = Int.random(in: 0..<50, using: &chance) == 0 ? 2.0 : 0.1
                writers[index].next = max(start, writers[index].next)
                writers[index].next += Double(sleeps[min(writers[index].refusals, 11)])
                writers[index].next += Double.random(in: 0...late, using: &chance)
                writers[index].refusals += 1
            }
        }
    }

    /// Who asks in a pause writes. How many did.
    private mutating func serve(until end: Double, from start: Double) -> Int {
        let before = waits.count
        for index in writers.indices {
            while max(start, writers[index].next) <= end {
                let now = max(start, writers[index].next)
                waits.append(now - writers[index].due)
                writers[index].refusals = 0
                writers[index].due = max(writers[index].due + writers[index].period, now)
                writers[index].next = writers[index].due
            }
        }
        return waits.count - before
    }
}
