extension BatchContext {
    /// Leaves the lock free for a pause. Returns how often somebody else used it by the end of the pause.
    func yield(
        for pause: Pause, _ settings: RunSettings, _ control: RunControl
    ) throws(StoreError) -> Int {
        let end = settings.monotonic() + pause.most
        // In steps, each of which reports progress, since the watchdog also checks while the run waits.
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

    /// Short compared with the pause, long compared with the check itself.
    private static var lookInterval: Duration { .microseconds(250) }
}

/// How long the lock stays free between two batches.
package struct Pause: Equatable, Sendable {
    /// The pause lasts at least this long.
    let least: Duration
    /// The pause ends at this time, or earlier once somebody else has used the lock.
    let most: Duration

    /// No pause, since nobody can be waiting.
    static let none = Pause(least: .zero, most: .zero)
}
