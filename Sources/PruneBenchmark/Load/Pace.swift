/// When the app makes its next call: once in a period.
struct Pace {
    /// In nanoseconds.
    private let period: Int64
    /// Of ``MonotonicClock``.
    private var due = MonotonicClock.nanoseconds

    init(milliseconds: Int64) { period = milliseconds * 1_000_000 }

    /// Sleeps until the next call is due.
    func wait() { MonotonicClock.sleep(until: due) }

    /// The last call ended at `end`. What was missed in a long one is left out: a person does not read faster after it.
    mutating func advance(past end: Int64) {
        due += max(1, (end - due + period - 1) / period) * period
    }
}
