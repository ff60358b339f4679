// Dispatch objects are safe to use from any thread; on Linux they are not yet declared so.
@preconcurrency import Dispatch
import Foundation
import Pruning

/// Looks at the locks of a run while it lasts: one that the store cannot give back costs the process, as nothing else lets
/// the store's app write. A write-ahead log or a rollback journal keep the store whole.
final class LockTimer: Sendable {
    private let timer: any DispatchSourceTimer

    private static let interval = DispatchTimeInterval.milliseconds(500)
    /// The process ends after so many seconds even where what is to be said of it cannot be written.
    private static let longestEnd: UInt32 = 5

    /// Calls `end`, which ends the process, with the task whose transaction it is, if it is a rule's, and why.
    init(_ control: RunControl, end: @escaping @Sendable (PruneTask?, StoreError) -> Never) {
        timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "pruned.locks"))
        timer.schedule(
            deadline: .now() + Self.interval, repeating: Self.interval, leeway: .milliseconds(50))
        timer.setEventHandler { @Sendable in
            guard let (task, failure) = control.stuckLock() else { return }
            alarm(Self.longestEnd)
            end(task, failure)
        }
        timer.activate()
    }

    /// The run has ended.
    func cancel() { timer.cancel() }
}
