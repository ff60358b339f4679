/// What stands in some rows of a time column. NULL says nothing about time or unit and is no part of it: a column may
/// be empty in most rows by design.
package struct TimeSample: Equatable, Sendable {
    /// The integers, in any order.
    package let integers: [Int64]
    /// How many values are neither integer nor NULL.
    package let others: Int
    /// How many of those are texts that begin as dates do, and how many are numbers with a fraction.
    package let dates: Int, fractions: Int

    package init(integers: [Int64], others: Int, dates: Int = 0, fractions: Int = 0) {
        self.integers = integers
        self.others = others
        self.dates = dates
        self.fractions = fractions
    }

    /// All values.
    package var count: Int { integers.count + others }

    /// What a person who named this column should know of its values, where most are no times in any unit.
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

    /// How many of the values can be times in `unit`.
    package func plausible(in unit: TimeUnit) -> Int {
        integers.count { unit.plausible.contains($0) }
    }
}

/// What a sample of a time column says of the unit that a rule reads it in.
package enum UnitDiagnosis: Equatable, Sendable {
    /// At least half of the values can be times in the rule's unit, or there are none.
    case fits
    /// More than half cannot. They look like times in another unit, in which at least half can be; nil: like no times.
    case misfits(looksLike: TimeUnit?)

    /// Judges `sample`, of a column that a rule reads in `unit`.
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
