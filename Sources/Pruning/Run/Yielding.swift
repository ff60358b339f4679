import Retention

extension BatchContext {
    /// Leaves the lock free for a pause. How often somebody else has used it by its end.
    func yield(
        for pause: Pause, _ settings: RunSettings, _ control: RunControl
    ) throws(StoreError) -> Int {
        let end = settings.monotonic() + pause.most
        // In steps: who waits makes progress, too, and the watchdog asks.
        while end - settings.monotonic() > Self.longestStep, pause.least == pause.most,
            control.stopReason == nil
        {
            control.pause(Self.longestStep)
        }
        let rest = pause.least == pause.most ? end - settings.monotonic() : pause.least
        var next = rest > .zero ? rest : min(pause.most, Self.lookInterval)
        while next > .zero, control.stopReason == nil {
            control.pause(next)
            let uses = try othersCommits()
            if uses > 0 { return uses }
            next = min(end - settings.monotonic(), Self.lookInterval)
        }
        return 0
    }

    private static var longestStep: Duration { .seconds(1) }

    /// Short beside the pause, long beside the look.
    private static var lookInterval: Duration { .microseconds(250) }
}

/// How long the lock stays free between two batches.
package struct Pause: Equatable, Sendable {
    /// It lasts so long whatever happens.
    let least: Duration
    /// It lasts so long unless somebody else uses the lock, and then no longer.
    let most: Duration

    /// None, for nobody can wait.
    static let none = Pause(least: .zero, most: .zero)
}
