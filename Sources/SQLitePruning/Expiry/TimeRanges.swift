import Retention

/// The SQL of ranges of times, by the index on time where there is one.
extension ExpiryCondition {
    /// SQL for finding expired rows by the index on time. True of every expired row, and of some others.
    var withinWindow: [String] {
        switch bound.timeIndex {
        case .exact: ["\(column) >= :lowest", "\(column) <= :latest"]
        case .byDay(let perDay):
            ["\(column) / \(perDay) BETWEEN :lowest / \(perDay) AND :latest / \(perDay)"]
        case nil: []
        }
    }

    /// Two parts of ``withinWindow``. On the whole days every row is past, so they are counted without reading rows. On
    /// the first and the last day each row must be judged. Nil unless the index is by day and only the time decides.
    var days: (whole: String, boundary: String)? {
        guard case .byDay(let perDay) = bound.timeIndex, bound.timeIsAlwaysInteger, onlyTimeDecides,
            case .integer(let latest) = latest
        else { return nil }
        let (day, first, last) = (
            "\(column) / \(perDay)", window.plausible.lowerBound / perDay, latest / perDay
        )
        return ("\(day) > \(first) AND \(day) < \(last)", "\(day) IN (\(first), \(last))")
    }

    /// The row is not past at `:cutoff` but will be later, and is not one of the newest rows that `keep_last` keeps.
    var next: [String] {
        let days: [String] =
            if case .byDay(let perDay) = bound.timeIndex {
                ["\(column) / \(perDay) BETWEEN max(:cutoff, :lowest) / \(perDay) AND :highest / \(perDay)"]
            } else { [] }
        let kept = task.rule.keepLast == nil || groups != nil ? nil : newest?.lastTime ?? lowest
        let times = ["\(column) BETWEEN max(:cutoff, :lowest) AND :highest", isNumber]
        return days + times + (kept.map { ["\(column) < \($0.literal)"] } ?? []) + notGone
            + terms
    }

    /// The row's time is plausible and before `:cutoff`, whatever may keep the row.
    var beforeCutoff: [String] {
        let days: [String] =
            if case .byDay(let perDay) = bound.timeIndex {
                ["\(column) / \(perDay) BETWEEN :lowest / \(perDay) AND :cutoff / \(perDay)"]
            } else { [] }
        guard bound.time != nil else { return notGone.orTrue }
        return days + ["\(column) >= :lowest", "\(column) < :cutoff", isNumber] + notGone
    }
}
