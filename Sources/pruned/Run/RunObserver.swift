import Pruning

/// Hears what happens in one run, from its workers.
protocol RunObserver: Sendable {
    func observe(_ event: PruneEvent)
}

extension BatchLockTimes: RunObserver {
    func observe(_ event: PruneEvent) { record(event) }
}

extension ProgressLine: RunObserver {
    func observe(_ event: PruneEvent) { show(event) }
}
