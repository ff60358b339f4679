import Retention

/// The stage after a store's rules: free pages go back to the file system, in steps as short as batches.
struct ReclaimRun {
    let store: any PrunableStore
    /// See ``RetentionRule/isQuiet``.
    let isQuiet: Bool
    let settings: RunSettings
    let control: RunControl
    let emit: @Sendable (PruneEvent) -> Void

    /// Nil when there was nothing worth giving back.
    func execute() -> ReclaimReport? {
        let begin = settings.monotonic()
        var report = ReclaimReport(store.definition.name)
        do {
            guard let space = try look(), space.isWorthReclaiming else { return nil }
            report.freeBytes = space.free * space.pageBytes
            try reclaim(space, since: begin, into: &report)
        } catch {
            report.end(with: error, control: control)
        }
        report.duration = settings.monotonic() - begin
        emit(.reclaimFinished(report))
        return report
    }

    private func look() throws(StoreError) -> FreeSpace? {
        try patiently { () throws(StoreError) in
            let view = try store.openView(control)
            defer { view.close() }
            return try view.freeSpace()
        }
    }

    private func reclaim(
        _ space: FreeSpace, since begin: Duration, into report: inout ReclaimReport
    ) throws(StoreError) {
        let worker = try patiently { () throws(StoreError) in try store.openWorker(control) }
        defer { worker.close() }
        var pacer = BatchPacer(lockTime: settings.lockTime, isQuiet: isQuiet)
        var given: Int64 = 0
        // Not for ever, where an app goes on deleting and inserting.
        while given < space.pages {
            if let reason = control.stopReason {
                throw .stopRequested(reason, during: ReclaimReport.operation, at: store.definition.path)
            }
            let step = try step(on: worker, &pacer)
            let freed = settings.monotonic()
            guard let step else {
                try yield(after: freed, on: worker, &pacer)
                continue
            }
            given += step.deleted
            report.add(step, pageBytes: space.pageBytes)
            report.duration = freed - begin
            pacer.record(step)
            emit(.reclaiming(report))
            if step.isLast {
                report.freeBytes = 0
                break
            }
            // First the log, which keeps nobody waiting: an app that has just come should not find it long.
            try patiently { () throws(StoreError) in try worker.maintainLog() }
            try yield(after: freed, on: worker, &pacer)
        }
        try patiently { () throws(StoreError) in try worker.shrinkFile() }
    }

    /// Leaves the lock, which was freed at `freed`, to others for a while.
    private func yield(
        after freed: Duration, on worker: any WorkerContext, _ pacer: inout BatchPacer
    ) throws(StoreError) {
        let pause = pacer.pause
        let uses = try patiently { () throws(StoreError) in try worker.yield(for: pause, settings, control) }
        pacer.paused(uses: uses, in: settings.monotonic() - freed)
    }

    /// The commit of a step writes the pages that were moved, and takes about as long as moving them did; both vary.
    private static let partBeforeCommit = 0.7

    /// Nil when the step did not fit on the disk or into its time, and a smaller one is to be tried.
    private func step(
        on worker: any WorkerContext, _ pacer: inout BatchPacer
    ) throws(StoreError) -> BatchResult? {
        let (pages, limit) = (pacer.rows, pacer.target * Self.partBeforeCommit)
        do {
            return try patiently { () throws(StoreError) in
                try worker.reclaim(pages: pages, within: limit)
            }
        } catch  where error.kind == .full && pacer.shrink() {
            return nil
        } catch  where error.kind == .tooSlow && pacer.beginAgain() {
            return nil
        }
    }

    private func patiently<Result>(
        _ attempt: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try Patience(settings: settings, control: control).keepTrying(attempt)
    }
}
