/// How long a run retries while others prevent an operation.
struct Patience {
    let settings: RunSettings
    let control: RunControl
    /// Called before the first wait.
    var onWait: (StoreError) -> Void = { _ in }

    /// The time between two attempts.
    private static let interval = Duration.milliseconds(50)

    /// Retries until the attempt succeeds or fails for another reason than a busy or pinned store, a stop is requested,
    /// or patience runs out. Throws the last error.
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
