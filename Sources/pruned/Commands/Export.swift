import ArgumentParser
import FoundationEssentials
import Pruning
import Retention
import TerminalText

/// `pruned export RUN-ID`: prints archived rows.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print what a run deleted by rules with archive = true; changes nothing.",
        discussion: """
            It reads the archive alone, so the store may be gone. `pruned restore` lists the runs.

            Examples:
              pruned export 20261121T084051Z-c62a > rows.jsonl
              pruned export 20261121T084051Z-c62a --rule items --format csv > items.csv
            """)

    @ParentCommand var program: Pruned
    @OptionGroup var common: CommonOptions

    @Argument(
        help: "The run, as its report and the journal name it.", completion: .archivedRun)
    var runID: String

    @Option(
        name: .long, help: ArgumentHelp("Only what this rule deleted (repeatable).", valueName: "name"),
        completion: .rule)
    var rule: [String] = []

    @Option(
        name: .long, help: "json, a line for each row, or csv, with a header for each table.",
        completion: .list(ExportFormat.allCases.map(\.rawValue)))
    var format = ExportFormat.json

    func validate() throws { try program.refuseRunOptions(of: "export", butSelection: true) }

    func run() throws {
        ProcessSignals.ignoreUnwanted()
        let rules = rule + program.runOptions.rule
        try Failure.reported { () throws(Failure) in
            try Export(setup: Setup(common), runID: runID, rules: rules, format: format).execute()
        }
    }
}

extension ExportFormat: ExpressibleByArgument {}

/// Prints archived rows of one run, rule by rule.
struct Export {
    let setup: Setup
    let runID: String
    let rules: [String]
    let format: ExportFormat

    func execute() throws(Failure) -> ExitStatus {
        try setup.checkState()
        let archives = try setup.stores(of: setup.configuration, purpose: "pruned export").archives
        let control = RunControl(monotonic: SystemTime.monotonic)
        let sources = ProcessSignals.stop(control)
        defer { sources.forEach { $0.cancel() } }
        let (parts, failures) = try ArchivedRuns.parts(ofRun: runID, rules: rules, in: archives, control)
        // What cannot be read may have been of this run.
        for failure in failures { Failure(failure).report() }
        for (index, part) in parts.enumerated() {
            if format == .csv, index > 0 { try StandardStream.output.write("\r\n") }
            try print(part.part, in: archives, of: part.in, control)
        }
        return failures.first.map { Failure($0).status } ?? .done
    }

    private func print(
        _ part: ArchivedPart, in archives: Archives, of name: Name?, _ control: RunControl
    ) throws(Failure) {
        var position: ExportPosition? = ExportPosition()
        // Characters may be cut in two.
        var rest = Data()
        while let from = position {
            let told: ExportedText
            do throws(StoreError) {
                told = try archives.text(of: part, in: name, as: format, from: from, control)
            } catch {
                throw Failure(error)
            }
            rest += told.text
            let end = told.next == nil ? rest.endIndex : rest.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
            try write(String(decoding: rest[..<(end ?? rest.startIndex)], as: UTF8.self))
            rest = Data(rest[(end ?? rest.startIndex)...])
            position = told.next
        }
    }

    /// JSON has escaped already what a terminal would obey.
    private func write(_ text: String) throws(Failure) {
        let isShown = format == .csv && StandardStream.output.isTerminal
        try StandardStream.output.write(
            isShown ? text.split(separator: "\r\n").map { String($0).onOneLine + "\n" }.joined() : text)
    }
}
