import Glibc
import Synchronization

/// The signs of life of one thread, for other threads to read.
package final class ThreadActivity: Sendable {
    private let stepCount = Atomic<Int>(0)
    private let transferCount = Atomic<Int>(0)

    package init() {}

    /// How often a running statement has asked whether to continue.
    var steps: Int { stepCount.load(ordering: .relaxed) }
    /// How many reads and writes of files there were.
    var transfers: Int { transferCount.load(ordering: .relaxed) }

    /// Counts a running statement that asks whether to continue.
    package func step() { stepCount.add(1, ordering: .relaxed) }
    /// Counts a read or a write of a file.
    package func transfer() { transferCount.add(1, ordering: .relaxed) }

    /// The activity of the calling thread. The thread owns it until it ends.
    package static func ofThisThread() -> ThreadActivity {
        if let known { return known }
        let new = ThreadActivity()
        pthread_setspecific(key, Unmanaged.passRetained(new).toOpaque())
        return new
    }

    /// The activity of the calling thread; nil if ``ofThisThread()`` was never called on it.
    package static var known: ThreadActivity? {
        pthread_getspecific(key).map { Unmanaged<ThreadActivity>.fromOpaque($0).takeUnretainedValue() }
    }

    /// How much processor time the calling thread has had.
    package static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { value in
            guard let value else { return }
            Unmanaged<ThreadActivity>.fromOpaque(value).release()
        }
        return key
    }()
}
