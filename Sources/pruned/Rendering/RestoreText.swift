import Pruning
import Retention
import TerminalText

/// The report of a restore, as text or JSON.
struct RestoreText: CustomStringConvertible {
    let runID: String
    let isDryRun: Bool
    let reports: [RestoreReport]
    let timeZone: Zone
    /// The number of columns of the terminal; nil if the output is not a terminal.
    let width: Int?

    var description: String {
        let verb = isDryRun ? "would be put back" : "put back"
        let lines = reports.flatMap { report -> [String] in
            var lines = [
                "\(report.part.rule): \(report.restored.grouped) of \(report.part.rows.grouped) archived rows \(verb)"
                    + " into \(report.part.table)"
            ]
            if report.restored > 0 {
                let day = report.leaseEnd.local(in: timeZone).prefix(10)
                lines.append("    \(isDryRun ? "they would stay" : "they stay") until \(day)")
            }
            for skip in RestoreSkip.allCases {
                guard let count = report.skipped[skip], count > 0 else { continue }
                lines.append("    \(count.grouped) skipped: \(skip.cause)")
            }
            if let failure = report.failure {
                lines.append("    \(report.outcome): \(failure.reason)")
                if let hint = failure.hint { lines.append("    \(hint)") }
            }
            return lines
        }
        return lines.flatMap(broken).map { $0 + "\n" }.joined()
    }

    /// Breaks a line. The continuation has the same indent.
    private func broken(_ line: String) -> [String] {
        let indent = String(line.prefix { $0 == " " })
        return line.onOneLine.fitted(to: (width ?? .max) - indent.columns).map { indent + $0 }
    }

    func json() throws(Failure) -> String {
        let object = Object(
            run_id: runID, dry_run: isDryRun, outcome: reports.map(\.outcome).max() ?? .done, rules: reports)
        do { return try object.json() + "\n" } catch {
            throw Failure(.failed, "the report cannot be written as JSON: \(error)")
        }
    }

    private struct Object: Encodable {
        let run_id: String
        let dry_run: Bool
        let outcome: Outcome
        let rules: [RestoreReport]
    }
}
