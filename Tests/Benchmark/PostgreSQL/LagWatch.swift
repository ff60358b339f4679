import Foundation
import TestSupport
import Synchronization

/// How far a replica is behind, as its primary says it every 50 ms.
final class LagWatch: Sendable {
    private let largest = Mutex(0.0)
    private let ends = Mutex(false)
    private let ended = DispatchSemaphore(value: 0)

    init(_ server: PostgreSQLServer) throws {
        let session = try server.session()
        Thread.detachNewThread { [self] in
            while !ends.withLock({ $0 }) {
                let lag = try? session.run(
                    "SELECT coalesce(max(extract(epoch FROM replay_lag)), 0) FROM pg_stat_replication")
                largest.withLock { $0 = max($0, Double(lag ?? "") ?? .infinity) }
                MonotonicClock.sleep(milliseconds: 50)
            }
            ended.signal()
        }
    }

    /// Ends it; the largest, in seconds. Infinite where nobody could say it.
    func end() -> Double {
        ends.withLock { $0 = true }
        ended.wait()
        return largest.withLock { $0 }
    }
}
