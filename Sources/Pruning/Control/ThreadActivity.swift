import FoundationEssentials
import Glibc
import Synchronization

/// The signs of life that a thread gives, which another one reads.
package final class ThreadActivity: Sendable {
    private let stepCount = Atomic<Int>(0)
    private let transferCount = Atomic<Int>(0)

    package init() {}

    /// How often a statement at work has asked whether to go on.
    var steps: Int { stepCount.load(ordering: .relaxed) }
    /// How many pieces of files were read or written.
    var transfers: Int { transferCount.load(ordering: .relaxed) }

    /// A statement asks whether to go on.
    package func step() { stepCount.add(1, ordering: .relaxed) }
    /// A piece of a file is read or written.
    package func transfer() { transferCount.add(1, ordering: .relaxed) }

    /// That of the thread that calls this, which keeps it for its life.
    package static func ofThisThread() -> ThreadActivity {
        if let known { return known }
        let new = ThreadActivity()
        pthread_setspecific(key, Unmanaged.passRetained(new).toOpaque())
        return new
    }

    /// That of the thread that calls this; nil while nobody has asked for it.
    package static var known: ThreadActivity? {
        pthread_getspecific(key).map { Unmanaged<ThreadActivity>.fromOpaque($0).takeUnretainedValue() }
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
