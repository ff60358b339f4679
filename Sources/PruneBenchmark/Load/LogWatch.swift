import Foundation
import Synchronization

/// Watches how long a store's write-ahead log gets, by its size in the file system.
final class LogWatch: Sendable {
    private struct State {
        var longest: Int64 = 0
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let done = DispatchSemaphore(value: 0)

    /// Begins to watch.
    init(_ copy: StoreCopy) {
        Thread.detachNewThread { [self] in
            while !look(at: copy) { usleep(3_000) }
            done.signal()
        }
    }

    /// Ends the watch; the longest that was seen.
    func end() -> Int64 {
        state.withLock { $0.hasEnded = true }
        done.wait()
        return state.withLock { $0.longest }
    }

    private func look(at copy: StoreCopy) -> Bool {
        let bytes = copy.logBytes
        return state.withLock {
            $0.longest = max($0.longest, bytes)
            return $0.hasEnded
        }
    }
}
