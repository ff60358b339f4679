import Retention

extension WorkerContext {
    /// Leaves the lock free for a pause. How often somebody else has used it by its end.
    func yield(
        for pause: Pause, _ settings: RunSettings, _ control: RunControl
    ) throws(StoreError) -> Int {
        let end = settings.monotonic() + pause.most
        var next = pause.least > .zero ? pause.least : min(pause.most, Self.lookInterval)
        while next > .zero, control.stopReason == nil {
            control.pause(next)
            let uses = try othersCommits()
            if uses > 0 { return uses }
            next = min(end - settings.monotonic(), Self.lookInterval)
        }
        return 0
    }

    /// Short beside the pause, long beside the look.
    private static var lookInterval: Duration { .microseconds(250) }
}
