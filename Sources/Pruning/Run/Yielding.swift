import Retention

extension WorkerContext {
    /// Leaves the lock free for a pause. Whether somebody else has used it.
    func yield(
        for pause: Pause, _ settings: RunSettings, _ control: RunControl
    ) throws(StoreError) -> Bool {
        let end = settings.monotonic() + pause.most
        var next = pause.least > .zero ? pause.least : min(pause.most, Self.lookInterval)
        while next > .zero, control.stopReason == nil {
            control.pause(next)
            if try hasOtherWritten() { return true }
            next = min(end - settings.monotonic(), Self.lookInterval)
        }
        return false
    }

    /// Short beside the pause, long beside the look.
    private static var lookInterval: Duration { .microseconds(250) }
}
