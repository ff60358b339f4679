import FoundationEssentials

/// The values of a time column that mean "expired", for one run.
///
/// A row is expired when its value is an integer with `plausible.lowerBound <= value < cutoff`; a value outside
/// ``plausible`` says nothing about time and keeps its row. A row exactly at the cutoff is kept.
package struct ExpiryWindow: Hashable, Sendable {
    /// The integers that can be times in the rule's unit.
    package let plausible: ClosedRange<Int64>
    /// The first value that is not expired, in the rule's unit.
    package let cutoff: Int64

    /// The window of a rule whose rows expire before `cutoff`, a whole second.
    package init(cutoff: Date, unit: TimeUnit) {
        plausible = unit.plausible
        self.cutoff = unit.value(ofSecond: Int64(cutoff.timeIntervalSince1970))
    }
}
