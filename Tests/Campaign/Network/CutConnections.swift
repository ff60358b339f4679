import Foundation
import RealPrograms
import Synchronization

/// The connection to a PostgreSQL server fails at each message of a run, in each way of ``MessageFault``.
final class CutConnections: Part {
    static let name = "network"
    static let aim = Aim(points: 30_000, unit: "messages")
    static let sliceSeconds: Double? = 12
    static var missing: String? { PostgreSQLPrograms.directory == nil ? "postgresql" : nil }

    /// More than there are without a fault.
    private static let mostMessages = 600

    private let setting: Setting
    private let idle = Mutex<[ServerStand]>([])
    /// How many messages each scenario has without a fault, once it was tried.
    private let messages = Mutex<[String: Int]>([:])

    /// Those whose message does not exist are none.
    let cases: Int? = ServerScenario.all.count * MessageFault.allCases.count * mostMessages

    init(_ setting: Setting) { self.setting = setting }

    func attempt(_ number: Int, in directory: String) throws -> Attempt {
        let point = NetworkPoint(permuted(number), messages: Self.mostMessages)
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

    /// The point of this case: a step without a factor in common with their number visits each once, and something of
    /// everything soon. Each seed has another order.
    private func permuted(_ number: Int) -> Int {
        let count = cases ?? 1
        var step = count * 618 / 1_000 + Int(setting.seed % 1_009)
        while gcd(step, count) != 1 { step += 1 }
        return number * step % count
    }

    private func gcd(_ a: Int, _ b: Int) -> Int { b == 0 ? a : gcd(b, a % b) }
}

/// One message, and what happens at it.
struct NetworkPoint: CustomStringConvertible {
    let scenario: ServerScenario
    let fault: MessageFault
    let number: Int

    /// The point of this number, where each scenario has so many messages.
    init(_ number: Int, messages: Int) {
        let (scenarios, faults) = (ServerScenario.all, MessageFault.allCases)
        scenario = scenarios[number % scenarios.count]
        fault = faults[number / scenarios.count % faults.count]
        self.number = number / scenarios.count / faults.count % messages + 1
    }

    var description: String { "\(scenario.name), \(fault.rawValue) at message \(number)" }
}
