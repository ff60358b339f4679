import Glibc
import Synchronization

/// The processes that this one has started, and that have not ended. Each leads a group of its own.
enum ChildProcesses {
    private static let all = Mutex<Set<pid_t>>([])

    static func add(_ id: pid_t) { _ = all.withLock { $0.insert(id) } }

    static func remove(_ id: pid_t) { _ = all.withLock { $0.remove(id) } }

    /// Ends them at once, because this process does.
    static func killAll() { for id in all.withLock({ $0 }) { kill(-id, SIGKILL) } }
}
