import Foundation
import Synchronization
import TestSupport

/// `pruned` as a service on a state directory, and what it tells its service manager.
final class Service {
    let process: RunningProgram
    private let ear: Ear
    /// The notifications so far.
    private(set) var heard: [String] = []

    /// It lives by `clock`, or by the system's.
    init(
        on state: StateDirectory, arguments: [String] = [], clock: FakeClock? = nil,
        environment: [String: String] = [:]
    ) throws {
        let socket = try NotifySocket()
        ear = Ear(socket)
        var program = state.pruned()
        program.arguments = arguments + program.arguments
        program.environment = environment.merging(["NOTIFY_SOCKET": socket.path]) { given, _ in given }
        process = try (clock?.applied(to: program) ?? program).start()
    }

    /// The next notification that satisfies `condition`; throws when none has come within `seconds`.
    @discardableResult
    func hear(seconds: Double = 120, _ condition: (String) -> Bool) throws -> String {
        let start = ContinuousClock.now
        while true {
            let left = Duration.seconds(seconds) - (ContinuousClock.now - start)
            guard let notification = ear.next(seconds: max(0, left / .seconds(1))) else {
                throw NotHeard(heard: heard, errors: process.errors)
            }
            heard.append(notification)
            if condition(notification) { return notification }
        }
    }

    /// Waits until it is ready and has looked at its stores; what it then says of itself.
    @discardableResult
    func waitUntilReady() throws -> String {
        let ready = try hear { $0.contains("READY=1") }
        return ready.contains("STATUS=Looking") ? try hear { $0.hasPrefix("STATUS=") } : ready
    }

    /// Waits until it is ready, and until the run that is due at its start has ended.
    func waitForFirstRun() throws {
        try waitUntilReady()
        try hear { $0.hasPrefix("STATUS=Idle") }
    }

    /// Tells it to stop, and waits for its end.
    @discardableResult
    func stop(_ signal: Int32 = SIGTERM) throws -> EndedProgram {
        process.send(signal)
        let ended = try process.wait(seconds: 10)
        while let notification = ear.next(seconds: 0.05) { heard.append(notification) }
        return ended
    }
}

/// Takes the notifications as they come, as systemd does: the service would wait for a full socket.
private final class Ear: Sendable {
    private let taken = Mutex<[String]>([])
    private let arrival = DispatchSemaphore(value: 0)

    init(_ socket: NotifySocket) {
        Thread.detachNewThread { [weak self] in
            // Until the service is done with.
            while self != nil {
                guard let notification = try? socket.receive(seconds: 0.02) else { continue }
                self?.taken.withLock { $0.append(notification) }
                self?.arrival.signal()
            }
        }
    }

    /// The oldest that was not asked for yet; nil when none comes within `seconds`.
    func next(seconds: Double) -> String? {
        guard arrival.wait(timeout: .now() + seconds) == .success else { return nil }
        return taken.withLock { $0.removeFirst() }
    }
}

/// A notification has not come in time.
struct NotHeard: Error, CustomStringConvertible {
    let heard: [String]
    let errors: String
    var description: String { "heard only \(heard)\nstderr: \(errors)" }
}
