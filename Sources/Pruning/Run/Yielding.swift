import Retention

extension WorkerContext {
    /// Leaves the lock free for `pause`, or if that `mayBeCut`, until somebody else has used it. Whether somebody has.
    func yield(
        for pause: Duration, mayBeCut: Bool, _ settings: RunSettings, _ control: RunControl
    ) throws(StoreError) -> Bool {
        guard pause > .zero else { return false }
        guard mayBeCut else {
            control.pause(pause)
            return try hasOtherWritten()
        }
        let end = settings.monotonic() + pause
        var left = pause
        while left > .zero, control.stopReason == nil {
            control.pause(min(left, Self.lookInterval))
            if try hasOtherWritten() { return true }
            left = end - settings.monotonic()
        }
        return false
    }

    /// Short beside the pause, long beside the look.
    private static var lookInterval: Duration { .microseconds(250) }
}
