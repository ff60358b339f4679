import FoundationEssentials

/// A column that was seen, and whether it has times.
package struct JudgedColumn: Equatable, Sendable {
    package let sketch: ColumnSketch
    package let time: TimeColumn

    package init(_ sketch: ColumnSketch, at now: Date) {
        (self.sketch, time) = (sketch, TimeColumn(sketch, at: now))
    }

    /// What its times are, to stand after its name; nil if it has none.
    package var words: String? {
        switch time {
        case .time(let format, let isAhead, let oldest, let newest):
            "\(oldest.day) to \(newest.day)" + (isAhead ? ", some still to come" : "")
                + (sketch.type.isTime ? "" : ", \(format.words)")
        case .key(let format): "the key, perhaps of times: \(format.words)"
        case .stale(let format, let newest):
            "no time after \(newest.day)" + (sketch.type.isTime ? "" : ", if these are \(format.words)")
        case .unread(let format): "looks like \(format.words), which pruned does not read"
        case .none: nil
        }
    }
}
