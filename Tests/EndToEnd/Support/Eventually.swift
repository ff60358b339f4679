import Foundation

/// Waits for something that another process does; throws when it has not happened within `seconds`.
func eventually(
    _ what: @autoclosure () -> String = "what was waited for", seconds: Double = 120,
    _ condition: () throws -> Bool
) throws {
    let start = ContinuousClock.now
    while try !condition() {
        guard ContinuousClock.now - start < .seconds(seconds) else {
            throw NeverHappened(what: what(), seconds: seconds)
        }
        usleep(2_000)
    }
}

/// Something did not happen in time.
struct NeverHappened: Error, CustomStringConvertible {
    let what: String
    let seconds: Double
    var description: String { "\(what) has not happened within \(seconds) s" }
}
