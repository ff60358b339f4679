import Pruning
import Retention
import TerminalText

/// A result of `pruned check` about one thing that a run needs.
struct CheckFinding {
    /// The kind of thing, for the summary.
    enum Subject {
        case setting, store, rule
    }

    /// The result, as the word that is printed.
    enum Verdict: String {
        case ok
        case notThereYet = "not there yet"
        case notChecked = "not checked"
        case missing = "MISSING"
        case wrong = "WRONG"
    }

    let subject: Subject
    /// The beginning of the line, such as "store reader".
    var name: String
    var detail: String
    let verdict: Verdict
    /// Why it is wrong.
    var failure: Failure?
    /// Remarks for a person, although nothing is wrong.
    var remarks: [String] = []
    /// The store of a family that it is about, where that is, and where all of the family are.
    var member: (store: Name, place: String, pattern: String)?

    /// Whether a person should look at it.
    var isProblem: Bool {
        switch verdict {
        case .ok, .notThereYet: !remarks.isEmpty
        case .notChecked, .missing, .wrong: true
        }
    }

    /// The exit status for this finding alone.
    var status: ExitStatus { failure?.status ?? .done }

    /// The finding for a check that `body` makes: ok, or wrong if it throws.
    static func of(
        _ subject: Subject, _ name: String, _ detail: String, _ body: () throws(StoreError) -> Void
    ) -> CheckFinding {
        do {
            try body()
            return CheckFinding(subject: subject, name: name, detail: detail, verdict: .ok)
        } catch {
            return CheckFinding(
                subject: subject, name: name, detail: detail, verdict: .wrong,
                failure: Failure(error))
        }
    }
}

/// The findings as text: a summary, then the lines of each finding.
struct CheckText {
    private let findings: [CheckFinding]
    private let style: TextStyle

    init(_ findings: [CheckFinding], style: TextStyle) {
        self.findings = findings
        self.style = style
    }

    /// The numbers of stores and rules, and how many have problems.
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

    /// The lines of one finding. A path is not broken, except on a terminal, which would break it anyway.
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

    /// The column where the text begins.
    private static let indent = 20
    private static let margin = "".padded(to: indent) + "  "

    /// Puts the lines beside `name`, or below it if the name is too long.
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

    /// The line, with its result emphasised.
    private func shown(_ line: String) -> String {
        let finding = String(line.prefix { $0 != ":" })
        return style.shown(finding, as: Emphasis(of: finding)) + line.dropFirst(finding.count)
    }
}

extension RetentionRule {
    /// A description of the rule.
    var explanation: String {
        let age =
            switch expiry {
            case .age(let column, let keep): "\(table).\(column) over \(keep)"
            case .deadline(let column, let grace):
                "\(table).\(column) passed" + (grace.map { " by \($0)" } ?? "")
            case .orphan: keptBy.isEmpty ? table : "\(table) without a keeper"
            }
        let others = dependents.isEmpty ? nil : "with " + dependents.sorted().joined(separator: ", ")
        let detached = detach.isEmpty ? nil : "detaching " + detach.map(\.description).joined(separator: ", ")
        let wanted = condition.map { "where \($0.onOneLine)" }
        let spared = protect.map { "unless \($0.onOneLine)" }
        let orphans = orphansOf.map { "where \($0.column) is no \($0.key)" }
        let keeper = keptBy.isEmpty ? nil : "kept by " + keptBy.map(\.description).joined(separator: ", ")
        let group = keepLastPer.isEmpty ? "" : " of each \(keepLastPer.joined(separator: ", "))"
        let newest = keepLast.map { "the newest \($0)\(group) stay" }
        let mark = action.isMark ? "marked, not deleted" : nil
        let hours = between.map { "at \($0)" }
        let longest = maxRun.map { "for \($0) at most" }
        let parts =
            [age, wanted, orphans] + spared
            + [keeper, newest, mark, others, detached, "every \(every)", hours, longest]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}
