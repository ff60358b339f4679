import Foundation
import Synchronization

/// What several threads came to.
final class Outcomes: Sendable {
    private let collected = Mutex<[Result<Void, any Error>]>([])

    var all: [Result<Void, any Error>] { collected.withLock { $0 } }

    func add(_ outcome: Result<Void, any Error>) { collected.withLock { $0.append(outcome) } }
}
