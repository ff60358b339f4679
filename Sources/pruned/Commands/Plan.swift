import Foundation
import Pruning
import Retention

/// A dry run, and the picture of what it found.
struct Plan {
    let setup: Setup
    /// Names from the command line; empty: all.
    let rules: [String]
    let json: Bool
    let color: ColorChoice

    func execute() throws(Failure) -> ExitStatus {
        let rules = try setup.rules(named: rules)
        try setup.checkState()
        let stores = try setup.stores(of: setup.policy, purpose: "pruned plan")
        try stores.refuseMisfits(of: rules)
        let memory = GuardMemory(
            lastRuns: RunLedger(stateDirectory: setup.stateDirectory).lastRuns(),
            holds: HoldLedger(stateDirectory: setup.stateDirectory).holds())
        var settings = RunSettings(
            dryRun: true, presumedEmpty: stores.defaultStore, showsAges: true, memory: memory,
            clockGuard: setup.makeClockGuard(), monotonic: SystemTime.monotonic)
        settings.program = setup.program
        let report = stores.run(rules, settings, RunControl(monotonic: SystemTime.monotonic)).execute { _ in }
        try StandardStream.output.write(try text(of: report, rules))
        return ExitStatus(report)
    }

    private func text(of report: PruneReport, _ rules: [RetentionRule]) throws(Failure) -> String {
        guard json else {
            return PlanText(
                report, rules: rules, timeZone: setup.policy.timeZone, style: .of(.output, color)
            ).description
        }
        do { return try report.json() + "\n" } catch {
            throw Failure(.failed, "the plan cannot be written as JSON: \(error)")
        }
    }
}
