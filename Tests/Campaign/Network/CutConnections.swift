import Foundation
import RealPrograms
import Synchronization

/// The connection to a PostgreSQL server fails at each message of a run, in each way of ``MessageFault``.
final class CutConnections: Part {
    static let name = "network"
    static let aim = Aim(points: 30_000, unit: "messages")
    static let sliceSeconds: Double? = 12
    static var missing: String? { PostgreSQLPrograms.directory == nil ? "postgresql" : nil }

    private let setting: Setting
    private let idle: Mutex<[ServerStand]>
    /// One after the other, in the order of ``ServerScenario/all``: what a run without fault came to.
    private let points: [NetworkPoint]

    var cases: Int? { points.count }

    init(_ setting: Setting) throws {
        self.setting = setting
        let stand = try ServerStand()
        idle = Mutex([stand])
        points = try ServerScenario.all.flatMap { scenario in
            let directory = setting.work + "/clean-" + scenario.name
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
            let trial = NetworkTrial(scenario, on: stand, pruned: setting.pruned, in: directory)
            let messages = try trial.messages()
            return MessageFault.allCases.flatMap { fault in
                (1...messages).map { NetworkPoint(scenario: scenario, fault: fault, number: $0) }
            }
        }
    }

    func attempt(_ number: Int, in directory: String) throws -> Attempt {
        // In an order of its own: each seed has something of everything soon.
        var generator = setting.generator(number)
        let point = points[permuted(number)]
        let stand = try idle.withLock { $0.popLast() } ?? ServerStand()
        defer { idle.withLock { $0.append(stand) } }
        let trial = NetworkTrial(point.scenario, on: stand, pruned: setting.pruned, in: directory)
        let findings = try trial.findings(
            MessageProxy.Point(
                number: point.number, fault: point.fault, place: .random(in: 0..<1, using: &generator)))
        return Attempt(points: findings == nil ? 0 : 1, findings: findings?.map { "\(point): \($0)" } ?? [])
    }

    /// The point of this case: a step that has no factor in common with their count visits each once.
    private func permuted(_ number: Int) -> Int {
        var step = Int(setting.seed % 1_000_003) + points.count * 618 / 1_000
        while gcd(step, points.count) != 1 { step += 1 }
        return (number * step) % points.count
    }

    private func gcd(_ a: Int, _ b: Int) -> Int { b == 0 ? a : gcd(b, a % b) }
}

/// One message, and what happens at it.
struct NetworkPoint: CustomStringConvertible {
    let scenario: ServerScenario
    let fault: MessageFault
    let number: Int

    var description: String { "\(scenario.name), \(fault.rawValue) at message \(number)" }
}
