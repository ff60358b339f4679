import Pruning

/// Receives the events of one run, from its worker threads.
protocol RunObserver: Sendable {
    func observe(_ event: PruneEvent)
}

extension PruneRun {
    /// Executes the run. Runs by hand and runs of the service are observed in the same way.
    func execute(observedBy observers: [any RunObserver]) -> PruneReport {
        execute { event in for observer in observers { observer.observe(event) } }
    }
}

extension BatchLockTimes: RunObserver {
    func observe(_ event: PruneEvent) { record(event) }
}

extension ProgressLine: RunObserver {
    func observe(_ event: PruneEvent) { show(event) }
}
