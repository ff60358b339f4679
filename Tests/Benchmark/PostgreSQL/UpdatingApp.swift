import Foundation
import TestSupport

/// pgbench as the app: it updates articles anywhere in the table, 500 times a second.
struct UpdatingApp {
    private static let warmUpMilliseconds: Int64 = 2_000
    private static let aftermathMilliseconds: Int64 = 300

    private let pgbench: Pgbench

    /// Starts it and lets it work alone for a while.
    init(on copy: ServerCopy, rows: Int) throws {
        let script = """
            \\set id random(0, \(rows - 1))
            UPDATE entry SET visits = visits + 1 WHERE id = :id;

            """
        pgbench = try Pgbench(
            on: copy.url, script: script, rate: 500, seconds: 3_600, clients: 4,
            options: ["--protocol=prepared"])
        MonotonicClock.sleep(milliseconds: Self.warmUpMilliseconds)
    }

    /// Ends it; what it measured while `run` ran and just after.
    func end(after run: EndedProgram) throws -> PgbenchLatencies {
        MonotonicClock.sleep(milliseconds: Self.aftermathMilliseconds)
        pgbench.stop()
        let offset = Date().timeIntervalSince1970 - Double(MonotonicClock.nanoseconds) / 1e9
        let latencies = try pgbench.finish().between(
            Double(run.usage.start) / 1e9 + offset,
            Double(run.usage.end + Self.aftermathMilliseconds * 1_000_000) / 1e9 + offset)
        guard !latencies.milliseconds.isEmpty else {
            throw BenchmarkError("pgbench did nothing during the run: \(latencies.summary)")
        }
        return latencies
    }
}
