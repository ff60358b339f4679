import Foundation

/// Returns how long it took until `condition` held, which it asks again and again, at these intervals; throws after
/// `seconds`.
@discardableResult
func eventually(
    _ what: String, within seconds: Int = 60, asking interval: Duration = .milliseconds(20),
    _ condition: () throws -> Bool
) throws -> Duration {
    let clock = ContinuousClock()
    let begin = clock.now
    while try !condition() {
        guard clock.now - begin < .seconds(seconds) else { throw NeverHappened(what: what, seconds: seconds) }
        usleep(UInt32(interval / .microseconds(1)))
    }
    return clock.now - begin
}

/// Something that a test waited for did not happen.
struct NeverHappened: Error, CustomStringConvertible {
    let what: String
    let seconds: Int

    var description: String { "not within \(seconds) s: \(what)" }
}
