import Pruning
import TerminalText

/// What is said of rows that earlier runs deleted or marked, and that are there again.
struct ReturnedRows {
    private let rows: Int64
    private let marks: Bool?

    /// Nil if there are none, or if that is unknown. `marks` says whether the rule marks rows; nil if that is unknown.
    init?(_ rows: Int64?, marks: Bool? = nil) {
        guard let rows, rows > 0 else { return nil }
        (self.rows, self.marks) = (rows, marks)
    }

    /// `12 rows that were deleted are there again`.
    var text: String {
        let what = marks == true ? "marked" : "deleted"
        return rows == 1
            ? "1 row that was \(what) is there again"
            : "\(rows.grouped) rows that were \(what) are there again"
    }

    /// What helps; nil if it is unknown what the rule does.
    var hint: String? {
        marks.map { marks in
            marks
                ? "its app takes the mark away, perhaps as it saves its memory over the file: run the rule only while"
                    + " the app does not run, as with skip_while_locked"
                : "its source still delivers them: set source_window, keep rows longer, or mark them with action"
                    + " instead of deleting them"
        }
    }
}

extension RuleReport {
    /// Nil if no rows came back, or if that is unknown.
    var returned: ReturnedRows? { ReturnedRows(progress.cameBack, marks: marks) }
}
