import Retention

extension WorkerContext {
    /// Leaves the lock free for `pause`, or until somebody else has used it: then whoever waited has had a turn.
    func yield(for pause: Duration, _ settings: RunSettings, _ control: RunControl) throws(StoreError) {
        let end = settings.monotonic() + pause
        var left = pause
        while left > .zero, control.stopReason == nil {
            control.pause(min(left, Self.lookInterval))
            if try hasOtherWritten() { return }
            left = end - settings.monotonic()
        }
    }

    /// Short beside the pause, long beside the look.
    private static var lookInterval: Duration { .microseconds(250) }
}
