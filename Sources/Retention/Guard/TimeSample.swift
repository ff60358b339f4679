/// The values of a time column in some rows, without NULL. NULL says nothing about the time or the unit, and a column
/// may be NULL in most rows by design.
package struct TimeSample: Equatable, Sendable {
    /// The integer values, in any order.
    package let integers: [Int64]
    /// The number of values that are neither integer nor NULL.
    package let others: Int
    /// How many of ``others`` are texts that look like dates, and how many are numbers with a fraction.
    package let dates: Int, fractions: Int

    package init(integers: [Int64], others: Int, dates: Int = 0, fractions: Int = 0) {
        self.integers = integers
        self.others = others
        self.dates = dates
        self.fractions = fractions
    }

    /// The number of all values.
    package var count: Int { integers.count + others }

    /// The hint for a person who named this column, if most of its values are not times in any unit.
    package var hint: String {
        if 2 * dates > count {
            return
                "these are dates as text, which this version cannot prune; a time must be an integer, counted"
                + " from 1970; if the table also has such a column, name it"
        }
        if 2 * fractions > count {
            return
                "these are numbers with a fraction, which this version cannot prune; a time must be an integer,"
                + " counted from 1970; if the table also has such a column, name it"
        }
        return "these are not times; name the column that has the rows' time"
    }

    /// How many of the values are plausible times in `unit`.
    package func plausible(in unit: TimeUnit) -> Int {
        integers.count { unit.plausible.contains($0) }
    }
}

/// Whether a sample of a time column fits the unit of the rule.
package enum UnitDiagnosis: Equatable, Sendable {
    /// At least half of the values are plausible in the rule's unit, or there are no values.
    case fits
    /// More than half are not. Has another unit in which at least half are plausible; nil if there is none.
    case misfits(looksLike: TimeUnit?)

    /// Judges `sample` from a column that a rule reads in `unit`.
    package init(of sample: TimeSample, in unit: TimeUnit) {
        func fits(_ unit: TimeUnit) -> Bool { 2 * sample.plausible(in: unit) >= sample.count }
        guard !fits(unit) else {
            self = .fits
            return
        }
        let best = TimeUnit.allCases.max { sample.plausible(in: $0) < sample.plausible(in: $1) }
        self = .misfits(looksLike: best.flatMap { fits($0) ? $0 : nil })
    }
}
