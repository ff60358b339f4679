import Retention

/// The stage after a store's rules: gives free space back to the file system, in steps as short as batches.
struct ReclaimRun {
    let store: any PrunableStore
    /// See ``RetentionRule/isQuiet``.
    let isQuiet: Bool
    let settings: RunSettings
    let control: RunControl
    let emit: @Sendable (PruneEvent) -> Void

    /// Returns nil when there was nothing worth giving back.
    func execute() -> ReclaimReport? {
        let begin = settings.monotonic()
        var report = ReclaimReport(store.definition.name)
        do throws(Halt) {
            guard let space = try look(into: &report) else { return nil }
            try reclaim(space, since: begin, into: &report)
        } catch {
            report.end(with: error, stopReason: control.stopReason)
        }
        report.duration = settings.monotonic() - begin
        emit(.reclaimFinished(report))
        return report
    }

    /// Nil when there is nothing worth giving back.
    private func look(into report: inout ReclaimReport) throws(Halt) -> FreeSpace? {
        try patience.keepTrying { () throws(StoreError) in
            let view = try store.openView(control)
            defer { view.close() }
            guard let space = try view.freeSpace(), space.isWorthReclaiming else { return nil }
            report.freeBytes = space.freeBytes
            try view.verifyFreeSpace()
            return space
        }
    }

    private func reclaim(
        _ space: FreeSpace, since begin: Duration, into report: inout ReclaimReport
    ) throws(Halt) {
        let worker = try patience.keepTrying { () throws(StoreError) in try store.openWorker(control) }
        defer { worker.close() }
        var steps = BatchLoop(on: worker, isQuiet: isQuiet, settings: settings, control: control)
        // Bounded, since an app may go on deleting and inserting.
        while report.reclaimedBytes < space.bytes,
            let step = try steps.next(
                unless: checkMayGoOn,
                { size, lockTime throws(StoreError) in
                    try worker.reclaim(units: size, within: lockTime * Self.partBeforeCommit)
                })
        {
            report.add(step)
            report.duration = steps.freed - begin
            emit(.reclaiming(report))
            if step.isLast { report.freeBytes = 0 }
        }
        try patience.keepTrying { () throws(StoreError) in try worker.finishReclaim() }
    }

    private func checkMayGoOn() throws(Halt) {
        guard let reason = control.stopReason else { return }
        throw .stopRequested(reason, during: ReclaimReport.operation, at: store.definition.place)
    }

    private var patience: Patience { Patience(settings: settings, control: control) }

    /// The commit of a step writes the moved pages and takes about as long as moving them. Both times vary.
    private static let partBeforeCommit = 0.7
}
