import Retention

/// How long a run goes on trying what somebody else keeps from happening.
struct Patience {
    let settings: RunSettings
    let control: RunControl
    /// Called before the first wait.
    var onWait: (StoreError) -> Void = { _ in }

    /// How long to leave the store alone between two tries.
    private static let interval = Duration.milliseconds(50)

    /// Tries until the answer is another than "not now", a stop is requested, or patience runs out; then throws the
    /// last error.
    func keepTrying<Result>(_ attempt: () throws(StoreError) -> Result) throws(Halt) -> Result {
        let begin = settings.monotonic()
        var hasWaited = false
        while true {
            control.beat()
            do throws(StoreError) {
                return try attempt()
            } catch {
                let isOver = settings.monotonic() - begin >= settings.patience
                let mayPass = error.kind == .busy || error.kind == .pinned
                guard mayPass, !isOver, control.stopReason == nil else { throw Halt(error) }
                if !hasWaited { onWait(error) }
                hasWaited = true
                control.pause(Self.interval)
            }
        }
    }
}
