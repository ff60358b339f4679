import Retention

/// Short transactions on one store, one after the other: their size, the pauses between them, and the patience with a store
/// that others keep busy. Deleting, reclaiming and restoring all go by it.
struct BatchLoop {
    private let context: any BatchContext
    private let settings: RunSettings
    private let control: RunControl
    private let patience: Patience
    private var pacer: BatchPacer
    private var isFirst = true
    private var isOver = false
    /// When the last batch freed the lock, by the monotonic clock.
    private(set) var freed = Duration.zero

    /// Batches on `context`, which must leave time for others where it `isQuiet`, see ``RetentionRule/isQuiet``.
    init(
        on context: any BatchContext, isQuiet: Bool, settings: RunSettings, control: RunControl,
        onWait: @escaping (StoreError) -> Void = { _ in }
    ) {
        self.context = context
        self.settings = settings
        self.control = control
        patience = Patience(settings: settings, control: control, onWait: onWait)
        pacer = BatchPacer(lockTime: settings.lockTime, isQuiet: isQuiet)
    }

    /// Whether every row is as slow as a whole table.
    var meetsSlowRowsOnly: Bool { pacer.meetsSlowRowsOnly }

    /// The next batch that was committed; nil when the last one was the last. Before it, the lock stays free for others.
    /// A batch that was too large is tried again, smaller.
    ///
    /// `check` throws where there must be no other batch. `attempt` is told the size, and how long the lock should be kept.
    mutating func next<Batch: CommittedBatch>(
        unless check: () throws(Halt) -> Void,
        _ attempt: (_ size: Int, _ lockTime: Duration) throws(StoreError) -> Batch
    ) throws(Halt) -> Batch? {
        guard !isOver else { return nil }
        if !isFirst {
            // This first: it keeps nobody waiting, and an app that has just come should not find a long log.
            try patience.keepTrying { () throws(StoreError) in try context.maintain() }
            try yield()
        }
        isFirst = false
        while true {
            try check()
            let batch = try fitting(attempt)
            freed = settings.monotonic()
            if let batch {
                pacer.record(batch.work)
                isOver = batch.isLast
                return batch
            }
            try yield()
        }
    }

    /// Nil when the batch did not fit on the disk, into the archive at once or into its time, and a smaller one is to be
    /// tried.
    private mutating func fitting<Batch: CommittedBatch>(
        _ attempt: (Int, Duration) throws(StoreError) -> Batch
    ) throws(Halt) -> Batch? {
        let (size, lockTime) = (pacer.rows, pacer.target)
        do throws(Halt) {
            return try patience.keepTrying { () throws(StoreError) in try attempt(size, lockTime) }
        } catch  where error.isFault(.full, .tooLarge) && pacer.shrink() {
            return nil
        } catch  where error.isFault(.tooSlow) && pacer.beginAgain() {
            return nil
        }
    }

    /// Leaves the lock to others for a while.
    private mutating func yield() throws(Halt) {
        let pause = pacer.pause
        let uses = try patience.keepTrying { () throws(StoreError) in
            try context.yield(for: pause, settings, control)
        }
        pacer.paused(uses: uses, in: settings.monotonic() - freed)
    }
}
