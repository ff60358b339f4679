/// How long a run goes on trying what somebody else keeps from happening.
struct Patience {
    let settings: RunSettings
    let control: RunControl

    /// How long to leave the store alone between two tries.
    private static let interval = Duration.milliseconds(50)

    /// Tries until the answer is another than "not now", a stop is requested, or patience runs out; then throws the
    /// last error. `onWait` is called before the first wait.
    func keepTrying<Result>(
        onWait: (StoreError) -> Void = { _ in }, _ attempt: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let begin = settings.monotonic()
        var hasWaited = false
        while true {
            control.beat()
            do {
                return try attempt()
            } catch let error where error.kind == .busy || error.kind == .logPinned {
                let isOver = settings.monotonic() - begin >= settings.patience
                if isOver || control.stopReason != nil { throw error }
                if !hasWaited { onWait(error) }
                hasWaited = true
                control.pause(Self.interval)
            }
        }
    }
}
