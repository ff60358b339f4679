import Foundation

/// Returns how long it took until `condition` held, which it asks again and again; throws after `seconds`.
@discardableResult
func eventually(_ what: String, within seconds: Int = 10, _ condition: () throws -> Bool) throws -> Duration {
    let clock = ContinuousClock()
    let begin = clock.now
    while try !condition() {
        guard clock.now - begin < .seconds(seconds) else { throw NeverHappened(what: what, seconds: seconds) }
        usleep(20_000)
    }
    return clock.now - begin
}

/// Something that a test waited for did not happen.
struct NeverHappened: Error, CustomStringConvertible {
    let what: String
    let seconds: Int

    var description: String { "not within \(seconds) s: \(what)" }
}
