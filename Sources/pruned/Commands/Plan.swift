import ArgumentParser
import Pruning
import Retention

/// `pruned plan`: what a run would delete, keep and hold, and why.
struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Show what a run would delete, leave and hold now, and why; changes nothing.",
        discussion: """
            The exit status is the one that the run would have. With --json it prints what --run-now --dry-run --json \
            does.

            Examples:
              pruned plan
              pruned plan --rule read-records
              pruned plan --problems
              pruned plan --store reader --json | jq '.rules[] | {rule, outcome, expired}'
            """)

    @ParentCommand var program: Pruned
    @OptionGroup var common: CommonOptions

    @Option(
        name: .long, help: ArgumentHelp("Only this rule (repeatable).", valueName: "name"), completion: .rule)
    var rule: [String] = []

    @OptionGroup var selection: SelectionOptions

    @Flag(name: .long, help: "Print the plan as one JSON object.")
    var json = false

    func validate() throws {
        try program.refuseRunOptions(of: "plan", butSelection: true)
        guard !selection.problems || !isJSON else {
            throw ValidationError(
                "--problems cannot be combined with --json, which has an outcome for each rule.")
        }
    }

    private var isJSON: Bool { json || program.runOptions.json }

    func run() throws {
        ProcessSignals.ignoreUnwanted()
        try Failure.reported { () throws(Failure) in
            try Plan(
                setup: Setup(common), rules: rule + program.runOptions.rule, selection: selection,
                json: isJSON, color: common.color
            ).execute()
        }
    }
}

/// A dry run, shown as a plan.
struct Plan {
    let setup: Setup
    /// Rule names from the command line; empty for all rules.
    let rules: [String]
    let selection: SelectionOptions
    let json: Bool
    let color: ColorChoice

    func execute() throws(Failure) -> ExitStatus {
        let rules = try selectedRules()
        try setup.checkState()
        let stores = try setup.stores(of: setup.configuration, purpose: "pruned plan")
        let report = setup.plan(
            of: rules, on: stores, memory: setup.guardMemory(of: rules, at: stores.places))
        try StandardStream.output.write(try text(of: report, rules))
        return ExitStatus(report)
    }

    private func selectedRules() throws(Failure) -> [RetentionRule] {
        let stores = Set(try setup.policy.stores(named: selection.store).map(\.name))
        let named = try setup.rules(named: rules)
        let selected = named.filter { stores.contains($0.store) }
        // A family of stores may have none now.
        guard !selected.isEmpty || rules.isEmpty && selection.store.isEmpty else {
            let names = selection.store.joined(separator: ", ")
            throw Failure(
                .usage, "none of these rules is on store \(names)",
                hint: "the rules are on "
                    + Set(named.map(\.store.description)).sorted().joined(separator: ", "))
        }
        return selected
    }

    private func text(of report: PruneReport, _ rules: [RetentionRule]) throws(Failure) -> String {
        guard json else {
            return PlanText(
                report, rules: rules, on: setup.policy.stores,
                length: selection.length(ofStores: Set(rules.map { $0.store.family ?? $0.store }).count),
                timeZone: setup.policy.timeZone,
                style: .of(.output, color)
            ).description
        }
        do { return try report.json() + "\n" } catch {
            throw Failure(.failed, "the plan cannot be written as JSON: \(error)")
        }
    }
}

extension Setup {
    /// What a run of `rules` would do now.
    func plan(of rules: [RetentionRule], on stores: StoreSet, memory: GuardMemory) -> PruneReport {
        var settings = RunSettings(
            dryRun: true, presumedEmpty: stores.defaultStore, workers: policy.workers, showsAges: true,
            memory: memory,
            clockGuard: makeClockGuard(), monotonic: SystemTime.monotonic)
        settings.program = program
        return stores.hinted(
            stores.run(rules, settings, RunControl(monotonic: SystemTime.monotonic)).execute { _ in })
    }
}
