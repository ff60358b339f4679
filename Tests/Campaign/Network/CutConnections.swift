import Foundation
import TestSupport
import Synchronization

/// The connection to a PostgreSQL server fails at each message of a run, in each way of ``MessageFault``.
final class CutConnections: Part {
    static let name = "network"
    static let aim = Aim(points: 36_000, unit: "messages")
    static let sliceSeconds: Double? = 8
    static var missing: String? { PostgreSQLPrograms.installed == nil ? "postgresql" : nil }

    /// More than there are without a fault.
    private static let mostMessages = 600

    private let setting: Setting
    private let scenarios: [ServerScenario]
    private let idle = Mutex<[ServerStand]>([])
    /// How many messages each scenario has without a fault, once it was tried.
    private let messages = Mutex<[String: Int]>([:])

    /// Those whose message does not exist are none.
    var cases: Int? { places * MessageFault.allCases.count }

    init(_ setting: Setting) {
        self.setting = setting
        // A slice has no time for the databases of all.
        scenarios =
            setting.isSlice
            ? ServerScenario.all.filter { ["tombstones", "archive"].contains($0.name) } : ServerScenario.all
    }

    func attempt(_ number: Int, in directory: String) throws -> Attempt {
        let point = point(number)
        if let count = messages.withLock({ $0[point.scenario.name] }), point.number > count {
            return Attempt(points: 0)
        }
        let stand = try idle.withLock { $0.popLast() } ?? ServerStand()
        defer { idle.withLock { $0.append(stand) } }
        do {
            guard point.number <= (try count(point.scenario, on: stand, in: directory)) else {
                return Attempt(points: 0)
            }
            let trial = NetworkTrial(
                point.scenario, on: stand, pruned: setting.pruned, in: directory + "/faulted")
            var generator = setting.generator(number)
            let findings = try trial.findings(
                MessageProxy.Point(
                    number: point.number, fault: point.fault,
                    place: .random(in: 0..<1, using: &generator)))
            return Attempt(
                points: findings == nil ? 0 : 1, findings: findings?.map { "\(point): \($0)" } ?? [])
        } catch {
            return Attempt(findings: ["\(point): could not be tried: \(error)"])
        }
    }

    private func count(_ scenario: ServerScenario, on stand: ServerStand, in directory: String) throws -> Int
    {
        if let count = messages.withLock({ $0[scenario.name] }) { return count }
        let trial = NetworkTrial(scenario, on: stand, pruned: setting.pruned, in: directory + "/clean")
        let count = try trial.messages()
        return messages.withLock { messages in
            messages[scenario.name] = messages[scenario.name] ?? count
            return messages[scenario.name] ?? count
        }
    }

    private var places: Int { scenarios.count * Self.mostMessages }

    /// Each message is met once before one is met again, by another fault.
    private func point(_ number: Int) -> NetworkPoint {
        let place = Permutation(of: places, seed: setting.seed)[number % places]
        let (scenario, message) = (place % scenarios.count, place / scenarios.count)
        let faults = MessageFault.allCases
        return NetworkPoint(
            scenario: scenarios[scenario],
            fault: faults[(scenario + message + number / places) % faults.count],
            number: message + 1)
    }
}

/// One message, and what happens at it.
struct NetworkPoint: CustomStringConvertible {
    let scenario: ServerScenario
    let fault: MessageFault
    let number: Int

    var description: String { "\(scenario.name), \(fault.rawValue) at message \(number)" }
}
