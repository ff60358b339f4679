/// Runs short transactions on one store in sequence. It controls their size, the pauses between them, and the patience
/// with a busy store. Deleting, reclaiming and restoring all use it.
struct BatchLoop {
    private let context: any BatchContext
    private let settings: RunSettings
    private let control: RunControl
    private let patience: Patience
    /// Called before the first wait for others that batches burden.
    private let onBurden: (StoreError) -> Void
    private var pacer: BatchPacer
    private var isFirst = true
    private var isOver = false
    /// When the last batch released the lock, by the monotonic clock.
    private(set) var freed = Duration.zero

    /// Runs batches on `context`. For `isQuiet` see ``RetentionRule/isQuiet``, for `rate`
    /// ``StoreDefinition/maxRowsPerSecond``.
    init(
        on context: any BatchContext, isQuiet: Bool, rate: Int? = nil, settings: RunSettings,
        control: RunControl,
        onWait: @escaping (StoreError) -> Void = { _ in },
        onBurden: @escaping (StoreError) -> Void = { _ in }
    ) {
        self.context = context
        self.settings = settings
        self.control = control
        self.onBurden = onBurden
        patience = Patience(settings: settings, control: control, onWait: onWait)
        pacer = BatchPacer(lockTime: settings.lockTime, isQuiet: isQuiet, rate: rate)
    }

    /// See ``BatchPacer/slowRowsOnly``.
    var slowRowsOnly: Int? { pacer.slowRowsOnly }

    /// Runs the next batch; returns nil when the previous one was the last. Before it, the lock stays free for others
    /// for a while. A batch that was too large is retried with fewer rows.
    ///
    /// `check` throws when no further batch may run. `attempt` gets the batch size and the target lock time.
    mutating func next<Batch: CommittedBatch>(
        unless check: () throws(Halt) -> Void,
        _ attempt: (_ size: Int, _ lockTime: Duration) throws(StoreError) -> Batch
    ) throws(Halt) -> Batch? {
        guard !isOver else { return nil }
        if !isFirst {
            // Before the pause: this blocks nobody, and an app that comes in the pause should not find a long log.
            try patience.keepTrying { () throws(StoreError) in try context.maintain() }
            try yield()
        }
        isFirst = false
        while true {
            try check()
            try relieve(unless: check)
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

    /// Waits while others are burdened. What they need is said once, and is the error when it takes too long.
    private func relieve(unless check: () throws(Halt) -> Void) throws(Halt) {
        let begin = settings.monotonic()
        var hasWaited = false
        while let burden = try patience.keepTrying({ () throws(StoreError) in try context.burden() }) {
            guard settings.monotonic() - begin < settings.longestRelief else { throw Halt(burden) }
            if !hasWaited { onBurden(burden) }
            hasWaited = true
            control.beat()
            control.pause(Self.reliefStep)
            try check()
        }
    }

    private static let reliefStep = Duration.milliseconds(50)

    /// Nil when the batch did not fit on the disk, into the archive or into its time, and a smaller one is worth a try.
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

    /// When the next batch may come where a rate is kept, by the monotonic clock.
    var settled: Duration { freed + pacer.owed }

    /// Pauses after the last batch, too, where a rate is kept and another rule's batches may follow. The work is done, so
    /// nothing is asked of the store any more that could fail.
    func settle() {
        let end = settled
        while settings.monotonic() < end, control.stopReason == nil {
            control.pause(min(end - settings.monotonic(), Self.longestStep))
        }
    }

    private static let longestStep = Duration.seconds(1)

    /// Leaves the lock free for others for a while.
    private mutating func yield() throws(Halt) {
        let pause = pacer.pause
        let uses = try patience.keepTrying { () throws(StoreError) in
            try context.yield(for: pause, settings, control)
        }
        pacer.paused(uses: uses, in: settings.monotonic() - freed)
    }
}
