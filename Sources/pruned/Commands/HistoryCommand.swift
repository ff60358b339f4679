import TerminalText
import ArgumentParser
import FoundationEssentials
import Ledger
import Logging
import PolicyFile
import Pruning
import Retention
import Systemd

/// `pruned history`: what was done, held, confirmed and refused.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Show past runs, and what was held, confirmed and refused.",
        discussion: """
            The newest stands last, with times in the policy's time zone. It reads the state directory alone, and works \
            whether or not the service runs and the configuration is valid.

            Examples:
              pruned history --limit 5
              pruned history --since 7d --rule timeline
              pruned history --json | jq 'select(.kind == "refused")'
            """)

    @ParentCommand var program: Pruned
    @OptionGroup var common: CommonOptions

    @Option(
        name: .long,
        help: ArgumentHelp(
            "No older entries: a span such as \"7d\", a day such as 2026-11-20, or \"2026-11-20 13:05\".",
            valueName: "when"))
    var since: String?

    @Option(
        name: .long, help: ArgumentHelp("Only entries of this rule (repeatable).", valueName: "name"),
        completion: .rule)
    var rule: [String] = []

    @Option(name: .long, help: ArgumentHelp("Only so many of the newest entries.", valueName: "number"))
    var limit: Int?

    @Flag(name: .long, help: "Print one JSON object a line.")
    var json = false

    private var ruleTexts: [String] { rule + program.runOptions.rule }

    func validate() throws {
        try program.refuseRunOptions(of: "history", butSelection: true)
        guard limit.map({ $0 > 0 }) ?? true else { throw ValidationError("--limit must be at least 1.") }
        if let ruleText = ruleTexts.first(where: { Name($0) == nil && FamilyPattern($0) == nil }) {
            throw ValidationError("\"\(ruleText)\" is not the name of a rule.")
        }
        if let since, PastInstant(parsing: since) == nil {
            throw ValidationError(
                "--since needs a span such as \"7d\", a day such as 2026-11-20, or \"2026-11-20 13:05\".")
        }
    }

    func run() throws {
        ProcessSignals.ignoreUnwanted()
        try Failure.reported { () throws(Failure) in try show() }
    }

    private func show() throws(Failure) -> ExitStatus {
        try SystemState.remark(to: common, command: "history")
        // Works with a refused configuration, which may be the reason to look at the history.
        let configuration = try? Setup.readConfiguration(
            Setup.configurationFiles(common), stateDirectory: Setup.stateDirectory(common))
        let timeZone = configuration?.policy.timeZone ?? .current
        let directory = try Setup.stateDirectory(common)
        try Privileges.assumeOwner(of: directory)
        let entries = try Self.entries(of: directory)
        let patterns = ruleTexts.compactMap { FamilyPattern($0) }
        let matching = Set(entries.flatMap(\.ruleNames)).filter { name in
            patterns.contains { $0.matched(in: name) != nil }
        }
        let selection = HistorySelection(
            since: since.flatMap(PastInstant.init)?.date(before: SystemTime.now, in: timeZone),
            rules: Set((ruleTexts + matching).compactMap(Name.init)), limit: limit)
        if let policy = configuration?.policy { try refuseUnknown(entries, policy) }
        let selected = selection.apply(to: entries)
        if json || program.runOptions.json {
            try StandardStream.output.write(lines(selected))
        } else if selected.isEmpty, let oldest = entries.first {
            let since = oldest.time.local(in: timeZone).dropLast(3)
            try StandardStream.output.write("no such entries since \(since)\n")
        } else {
            try StandardStream.output.write(
                HistoryText(
                    selected, policy: configuration?.policy, timeZone: timeZone,
                    style: .of(.output, common.color)
                ).description)
        }
        return .done
    }

    /// All entries; for the group of the state directory those that its owner published.
    private static func entries(of directory: String) throws(Failure) -> [HistoryEntry] {
        let logger = Logger(LogDestination(environment: ProcessInfo.processInfo.environment))
        let ledger = Ledger(stateDirectory: directory)
        guard !ledger.isClosed else {
            let published = try PublishedStatus(in: directory)
            logger.notice(
                "these are the last \(PublishedStatus.runs) runs, as published at \(published.at.iso8601)",
                metadata: ["hint": "root and the owner of \(directory) see all"])
            return published.history
        }
        do throws(StoreError) {
            let found = try ledger.examine(or: []) { tables -> [HistoryEntry] in
                try tables.checkAll()
                return try tables.history()
            }
            found.damage.map { logger.warning($0) }
            return found.result
        } catch {
            throw Failure(error)
        }
    }

    /// Throws for an unknown rule. A rule that was removed from the configuration is known while the history has
    /// entries of it.
    private func refuseUnknown(_ entries: [HistoryEntry], _ policy: RetentionPolicy) throws(Failure) {
        let names = Set(entries.flatMap(\.ruleNames))
            .union((policy.rules.map(\.name) + ArchivePruning.ruleNames).map(\.description))
        guard
            let unknown = ruleTexts.first(where: { text in
                !names.contains(text) && !names.contains { FamilyPattern(text)?.matched(in: $0) != nil }
            })
        else { return }
        let rules = policy.rules.map(\.name.description).joined(separator: ", ")
        throw Failure(
            .usage, "there is no rule \"\(unknown)\" in the configuration or in the history",
            hint: names.nearest(to: unknown).map { "did you mean \"\($0)\"?" } ?? "the rules are \(rules)")
    }

    private func lines(_ entries: [HistoryEntry]) throws(Failure) -> String {
        do {
            return try entries.map { try $0.line() + "\n" }.joined()
        } catch {
            throw Failure(.failed, "the history cannot be written as JSON: \(error)")
        }
    }
}

/// An instant in the past as people write it: a time span ago, or a date and time.
enum PastInstant {
    case ago(Span)
    case reading(WallClock)

    /// Nil when the text is neither a span nor a date with an optional time of day.
    init?(parsing text: String) {
        if let span = try? Span(parsing: text) {
            self = .ago(span)
            return
        }
        let pattern = /(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d))?)?/
        guard let match = text.wholeMatch(of: pattern)?.output else { return nil }
        let number = { (digits: Substring?) in digits.flatMap { Int($0) } ?? 0 }
        let date = CivilDate(year: Int64(number(match.1)), month: number(match.2), day: number(match.3))
        let (hour, minute, second) = (number(match.4), number(match.5), number(match.6))
        guard date.exists, hour < 24, minute < 60, second < 60 else { return nil }
        self = .reading(WallClock(date, time: TimeInterval(hour * 3_600 + minute * 60 + second)))
    }

    /// The instant, in `timeZone`.
    func date(before now: Date, in timeZone: Zone) -> Date {
        switch self {
        case .ago(let span): span.before(now, in: timeZone)
        case .reading(let reading): reading.earliestInstant(in: timeZone)
        }
    }
}
