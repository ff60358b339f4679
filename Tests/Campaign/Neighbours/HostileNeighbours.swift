import Foundation
import Synchronization

/// Another user changes what a run works on: at each of its file operations, in each way of ``HostileChange``.
final class HostileNeighbours: Part {
    static let name = "neighbours"
    static let aim = Aim(points: 10_000, unit: "changes")
    static var missing: String? { geteuid() == 0 ? nil : "root" }

    /// More than a run has.
    private static let mostOperations = 1_500

    private let setting: Setting
    /// The program where all users can run it.
    private let program: String
    private let scenarios: [HostileScenario]
    /// How many operations each scenario has, once it was tried.
    private let operations = Mutex<[HostileScenario: Int]>([:])

    /// Those whose operation does not exist are none.
    var cases: Int? { places * HostileChange.allCases.count }

    init(_ setting: Setting) throws {
        self.setting = setting
        program = setting.work + "/pruned"
        try FileManager.default.copyItem(atPath: setting.pruned, toPath: program)
        scenarios = setting.isSlice ? [.sharedLog, .stateDirectory] : HostileScenario.allCases
    }

    private var places: Int { scenarios.count * Self.mostOperations }

    /// Each operation is met once before one is met again, by another change.
    func attempt(_ number: Int, in directory: String) throws -> Attempt {
        let place = Permutation(of: places, seed: setting.seed)[number % places]
        let (scenario, operation) = (scenarios[place % scenarios.count], place / scenarios.count)
        let changes = HostileChange.allCases
        let change = changes[(place % scenarios.count + operation + number / places) % changes.count]
        guard operation < (try count(scenario, in: directory)) else { return Attempt(points: 0) }
        let trial = try HostileTrial(scenario, program: program, in: made(directory + "/changed"))
        let findings = try trial.findings(change, at: operation + 1)
        return Attempt(
            points: findings == nil ? 0 : 1,
            findings: findings?.map {
                "\(scenario.rawValue), \(change.rawValue) at operation \(operation + 1), \($0)"
            }
                ?? [])
    }

    private func count(_ scenario: HostileScenario, in directory: String) throws -> Int {
        if let count = operations.withLock({ $0[scenario] }) { return count }
        let trial = try HostileTrial(scenario, program: program, in: made(directory + "/clean"))
        let count = try trial.operations().count
        operations.withLock { $0[scenario] = count }
        return count
    }

    private func made(_ directory: String) throws -> String {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        return directory
    }
}
