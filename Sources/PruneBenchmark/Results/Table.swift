/// The findings as a table in Markdown, aligned to be read as it is.
struct Table: CustomStringConvertible {
    let findings: [Finding]

    private static let heads = ["#", "what", "measured", "target", "", "of"]

    var description: String {
        let rows = findings.map(Self.cells)
        let widths = Self.heads.indices.map { column in
            ([Self.heads] + rows).map { $0[column].count }.max() ?? 0
        }
        let rule = "|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|"
        return ([Self.line(Self.heads, widths), rule] + rows.map { Self.line($0, widths) })
            .joined(separator: "\n") + "\n"
    }

    private static func cells(_ finding: Finding) -> [String] {
        [
            finding.row, finding.what, measured(finding),
            finding.target.description, finding.verdict.rawValue, finding.detail,
        ]
    }

    private static func measured(_ finding: Finding) -> String {
        guard !finding.value.isNaN else { return "nothing" }
        let digits = finding.target.unit.hasPrefix("x ") ? 2 : 1
        return "\(finding.value.formatted(digits: digits)) \(finding.target.unit)"
    }

    private static func line(_ cells: [String], _ widths: [Int]) -> String {
        let padded = zip(cells, widths).map { cell, width in
            cell + String(repeating: " ", count: width - cell.count)
        }
        return "| " + padded.joined(separator: " | ") + " |"
    }
}
