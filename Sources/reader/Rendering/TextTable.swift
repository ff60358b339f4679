/// Rows of text in aligned columns, one line each.
struct TextTable: CustomStringConvertible {
    /// What stands above the columns.
    let header: [String]
    let rows: [[String]]
    /// The columns of numbers, which are aligned at their right.
    var numbers: Set<Int> = []

    var description: String {
        let cells = ([header] + rows).map { $0.map(\.onOneLine) }
        let widths = header.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        return cells.map { row in
            let line = row.indices.map { column in
                let padding = String(repeating: " ", count: widths[column] - row[column].count)
                return numbers.contains(column) ? padding + row[column] : row[column] + padding
            }.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }
}
