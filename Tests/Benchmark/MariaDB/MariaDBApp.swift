import Foundation
import Synchronization
import TestSupport

/// An app that updates articles anywhere in the table, 200 times a second, on four connections.
final class MariaDBApp: Sendable {
    private static let connections = 4
    private static let rate = 200
    private static let warmUpMilliseconds: Int64 = 2_000
    private static let aftermathMilliseconds: Int64 = 300

    private let calls = Mutex<[Call]>([])
    private let failure = Mutex<(any Error)?>(nil)
    private let ends = Mutex(false)
    private let ended = DispatchGroup()

    /// Starts it and lets it work alone for a while.
    init(on copy: MariaDBCopy, rows: Int) throws {
        for number in 0..<Self.connections {
            let socket = try StatementSocket(to: copy.server, database: copy.database)
            ended.enter()
            Thread.detachNewThread { [self] in
                do { try work(on: socket, rows, seed: UInt64(number)) } catch {
                    failure.withLock { $0 = error }
                }
                ended.leave()
            }
        }
        MonotonicClock.sleep(milliseconds: Self.warmUpMilliseconds)
    }

    /// Calls come at random times, as many as the connection's part of the rate. One that is late because of the one before
    /// counts from when it should have begun.
    private func work(on socket: StatementSocket, _ rows: Int, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var due = MonotonicClock.nanoseconds
        while !ends.withLock({ $0 }) {
            let pause = -log(Double.random(in: .leastNonzeroMagnitude..<1, using: &random))
            due += Int64(pause * 1e9 * Double(Self.connections) / Double(Self.rate))
            MonotonicClock.sleep(until: due)
            let id = Int.random(in: 0..<rows, using: &random)
            try socket.run("UPDATE entry SET visits = visits + 1 WHERE id = \(id)")
            let call = Call(start: due, end: MonotonicClock.nanoseconds)
            calls.withLock { $0.append(call) }
        }
    }

    /// Ends it; the milliseconds, in order, of the calls that ended while `run` ran and just after.
    func end(after run: EndedProgram) throws -> [Double] {
        MonotonicClock.sleep(milliseconds: Self.aftermathMilliseconds)
        ends.withLock { $0 = true }
        ended.wait()
        if let failure = failure.withLock({ $0 }) { throw failure }
        let until = run.usage.end + Self.aftermathMilliseconds * 1_000_000
        let measured = calls.withLock { $0 }.filter { $0.end >= run.usage.start && $0.end <= until }
        guard !measured.isEmpty else { throw BenchmarkError("the app did nothing during the run") }
        return measured.map { Double($0.end - $0.start) / 1e6 }.sorted()
    }
}
