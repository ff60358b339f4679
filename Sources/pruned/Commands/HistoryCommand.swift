import ArgumentParser
import Foundation
import Pruning
import Retention

/// `pruned history`: what was done, held, confirmed and refused.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "What past runs did, what was held, confirmed and refused.",
        discussion: """
            The newest stands last, with times in the policy's time zone. It reads the state directory alone, and works \
            whether or not the service runs and the configuration is valid.
            """)

    @ParentCommand var program: Pruned
    @OptionGroup var common: CommonOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Nothing older: a span as \"7d\", a day as 2026-11-20, or \"2026-11-20 13:05\".",
            valueName: "when"))
    var since: String?

    @Option(name: .long, help: ArgumentHelp("Only what concerns this rule.", valueName: "name"))
    var rule: String?

    @Option(name: .long, help: ArgumentHelp("Only so many, the newest.", valueName: "number"))
    var limit: Int?

    @Flag(name: .long, help: "Print one JSON object a line.")
    var json = false

    private var ruleText: String? { rule ?? program.runOptions.rule.last }

    func validate() throws {
        try program.refuseRunOptions(of: "history", butSelection: true)
        guard limit.map({ $0 > 0 }) ?? true else { throw ValidationError("--limit is a number from 1 on.") }
        if let ruleText, Name(ruleText) == nil {
            throw ValidationError("\"\(ruleText)\" is no name of a rule.")
        }
        if let since, PastInstant(parsing: since) == nil {
            throw ValidationError(
                "--since is a span as \"7d\", a day as 2026-11-20, or \"2026-11-20 13:05\".")
        }
    }

    func run() throws {
        ProcessSignals.ignoreUnwanted()
        try Failure.reported { () throws(Failure) in try show() }
    }

    private func show() throws(Failure) -> ExitStatus {
        // A configuration that is refused is just why one may want to look.
        let configuration = try? Setup.readConfiguration(
            Setup.configurationFiles(common), stateDirectory: Setup.stateDirectory(common))
        let timeZone = configuration?.policy.timeZone ?? .current
        let selection = HistorySelection(
            since: since.flatMap(PastInstant.init)?.date(before: SystemTime.now, in: timeZone),
            rule: ruleText.flatMap(Name.init), limit: limit)
        let entries: [HistoryEntry]
        do {
            entries = try RunHistory(stateDirectory: Setup.stateDirectory(common)).entries()
        } catch {
            throw Failure(error)
        }
        let selected = selection.apply(to: entries)
        try StandardStream.output.write(
            json || program.runOptions.json
                ? lines(selected) : HistoryText(selected, timeZone: timeZone).description)
        return .done
    }

    private func lines(_ entries: [HistoryEntry]) throws(Failure) -> String {
        do {
            return try entries.map { try $0.json() + "\n" }.joined()
        } catch {
            throw Failure(.failed, "the history cannot be written as JSON: \(error)")
        }
    }
}
