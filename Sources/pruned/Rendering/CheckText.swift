import FoundationEssentials
import Pruning
import Retention
import TerminalText

/// What `pruned check` found out about one thing that a run needs.
struct CheckFinding {
    /// What it is about, for the summary.
    enum Subject {
        case setting, store, rule
    }

    /// The word for it, as it is printed.
    enum Verdict: String {
        case ok
        case notThereYet = "not there yet"
        case notChecked = "not checked"
        case missing = "MISSING"
        case wrong = "WRONG"
    }

    let subject: Subject
    /// As it stands at the beginning of the line: "store reader".
    let name: String
    let detail: String
    let verdict: Verdict
    /// Why it is wrong.
    var failure: Failure?
    /// What a person may want to know although nothing is wrong.
    var remarks: [String] = []

    /// Whether somebody should look at it.
    var isProblem: Bool {
        switch verdict {
        case .ok, .notThereYet: !remarks.isEmpty
        case .notChecked, .missing, .wrong: true
        }
    }

    /// The status that the program has by this finding alone.
    var status: ExitStatus { failure?.status ?? .done }

    /// The finding that `body` makes by not throwing, or by throwing why it is wrong.
    static func of(
        _ subject: Subject, _ name: String, _ detail: String, _ body: () throws(StoreError) -> Void
    ) -> CheckFinding {
        do {
            try body()
            return CheckFinding(subject: subject, name: name, detail: detail, verdict: .ok)
        } catch {
            return CheckFinding(
                subject: subject, name: name, detail: detail, verdict: .wrong,
                failure: error.kind == .schema ? Failure(misfits: [error]) : Failure(error))
        }
    }
}

/// What a check found, as a person reads it: how much is wrong, then a line for each thing.
struct CheckText {
    private let findings: [CheckFinding]
    private let style: TextStyle

    init(_ findings: [CheckFinding], style: TextStyle) {
        self.findings = findings
        self.style = style
    }

    /// How many things there are, and how many of them are not as they should be.
    var summary: String {
        let all = Self.counted.map { subject, noun in
            findings.count { $0.subject == subject }.counted(noun)
        }
        let text = all.joined(separator: ", ") + ": " + (problems.isEmpty ? "all ok" : problems)
        return style.fitted(text).map { $0 + "\n" }.joined()
    }

    private var problems: String {
        let others = findings.filter { $0.subject == .setting && $0.verdict == .wrong }.map {
            "\($0.name.split(separator: " ").joined(separator: " ")) WRONG"
        }
        let counts = Self.counted.flatMap { subject, noun in
            [CheckFinding.Verdict.missing, .wrong, .notChecked].compactMap { verdict -> String? in
                let count = findings.count { $0.subject == subject && $0.verdict == verdict }
                return count > 0 ? "\(count.counted(noun)) \(verdict.rawValue)" : nil
            }
        }
        let remarks = findings.reduce(0) { $0 + $1.remarks.count }
        return (others + counts + (remarks > 0 ? [remarks.counted("remark")] : [])).joined(separator: ", ")
    }

    private static let counted = [(CheckFinding.Subject.store, "store"), (.rule, "rule")]

    /// The lines of one finding. A path is whole for whatever reads on, and broken only where a terminal would do it,
    /// too.
    func lines(of finding: CheckFinding) -> String {
        let text = "\(finding.verdict.rawValue): \(finding.detail.onOneLine)"
        let told =
            switch finding.subject {
            case .rule: style.fitted(text, indent: Self.indent + 2)
            case .setting, .store:
                style.isScreen ? text.pieces(ofColumns: style.width - Self.indent - 2) : [text]
            }
        let remarks = finding.remarks.flatMap { style.fitted($0.onOneLine, indent: Self.indent + 2) }
        return (beside(finding.name, told) + remarks.map { Self.margin + $0 }).map { $0 + "\n" }.joined()
    }

    /// Where what is found stands.
    private static let indent = 20
    private static let margin = "".padded(to: indent) + "  "

    /// What is told of `name`: beside it, or below where it is too long.
    private func beside(_ name: String, _ lines: [String]) -> [String] {
        let isLong = name.columns > Self.indent
        let above = style.isScreen ? name.pieces(ofColumns: style.width) : [name]
        return (isLong ? above : [])
            + lines.enumerated().map { index, line in
                index > 0
                    ? Self.margin + line
                    : (isLong ? "" : name).padded(to: Self.indent) + "  " + shown(line)
            }
    }

    /// The line that begins with what was found.
    private func shown(_ line: String) -> String {
        let finding = String(line.prefix { $0 != ":" })
        return style.shown(finding, as: Emphasis(of: finding)) + line.dropFirst(finding.count)
    }
}

extension RetentionRule {
    /// The rule in words.
    var explanation: String {
        let condition =
            switch expiry {
            case .age(let column, let keep): "\(table).\(column) over \(keep)"
            case .deadline(let column, let grace):
                "\(table).\(column) passed" + (grace.map { " by \($0)" } ?? "")
            }
        let others = dependents.isEmpty ? nil : "with " + dependents.sorted().joined(separator: ", ")
        let keeper = keptBy.map { "kept by \($0)" }
        let newest = keepLast.map { "the newest \($0) stay" }
        let parts = [condition, keeper, newest, others, "every \(every)"]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}
