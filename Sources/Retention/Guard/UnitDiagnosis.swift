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
