import ArgumentParser
import Pruning
import Retention
import TerminalText

/// `pruned explain RULE KEY`: why one row goes or stays.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Say of one row why a rule takes it or leaves it, and by which date; changes nothing.",
        discussion: """
            KEY is the row's primary key, one value for each of its columns; for a table without one, its rowid.

            Examples:
              pruned explain read-records 1885604
              pruned explain news-articles 42 --json | jq .verdict
            """)

    @ParentCommand var program: Pruned
    @OptionGroup var common: CommonOptions

    @Argument(help: "The rule.", completion: .rule)
    var rule: String

    @Argument(help: ArgumentHelp("The row's key.", valueName: "key"))
    var key: [String]

    @Flag(name: .long, help: "Print the judgement as one JSON object.")
    var json = false

    func validate() throws {
        try program.refuseRunOptions(of: "explain", butSelection: true)
    }

    func run() throws {
        ProcessSignals.ignoreUnwanted()
        try Failure.reported { () throws(Failure) in
            try Explain(
                setup: Setup(common), json: json || program.runOptions.json, color: common.color
            ).execute(rule, key)
        }
    }
}

/// Judges one row on the view context, as a run that starts now would.
struct Explain {
    let setup: Setup
    let json: Bool
    let color: ColorChoice

    func execute(_ name: String, _ key: [String]) throws(Failure) -> ExitStatus {
        let rule = try setup.rule(named: name)
        try setup.checkState()
        let stores = try setup.stores(of: setup.configuration, purpose: "pruned explain")
        guard let store = stores.byName[rule.store] else {
            throw Failure(.failed, "there is no store \(rule.store)")
        }
        let task = PruneTask(rule, start: SystemTime.now, in: setup.policy.timeZone)
        let judgement = try stores.answer(
            of: store, to: .judgement(of: key, by: task), as: RowJudgement?.self)
        guard let judgement else {
            throw Failure(
                .failed, "\(rule.table) has no row with the key \(key.joined(separator: ", "))",
                hint: "a run may have deleted it: `\(setup.program) history` shows the runs")
        }
        try StandardStream.output.write(try text(of: judgement, key, task))
        return .done
    }

    private func text(
        of judgement: RowJudgement, _ key: [String], _ task: PruneTask
    ) throws(Failure) -> String {
        guard json else {
            return JudgementText(judgement, of: key, in: task, style: .of(.output, color)).description
        }
        do { return try RowExplanation(judgement, of: key, in: task).json() + "\n" } catch {
            throw Failure(.failed, "the judgement cannot be written as JSON: \(error)")
        }
    }
}
