import Foundation

/// Waits for something that another process does; throws when it has not happened within `seconds`.
package func wait(
    for what: @autoclosure () -> String, seconds: Double = 30, until condition: () throws -> Bool
) throws {
    let start = ContinuousClock.now
    while try !condition() {
        guard ContinuousClock.now - start < .seconds(seconds) else {
            throw WaitedTooLong(what: what(), seconds: seconds)
        }
        usleep(2_000)
    }
}

/// Something did not happen in time.
package struct WaitedTooLong: Error, CustomStringConvertible {
    package let what: String
    package let seconds: Double
    package var description: String { "\(what) has not happened within \(seconds) s" }
}
