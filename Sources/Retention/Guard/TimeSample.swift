/// What stands in some rows of a time column. NULL says nothing about time or unit and is no part of it: a column may
/// be empty in most rows by design.
public struct TimeSample: Equatable, Sendable {
    /// The integers, in any order.
    public let integers: [Int64]
    /// How many values are neither integer nor NULL.
    public let others: Int

    /// See the properties.
    public init(integers: [Int64], others: Int) {
        self.integers = integers
        self.others = others
    }

    /// All values.
    public var count: Int { integers.count + others }

    /// How many of the values can be times in `unit`.
    public func plausible(in unit: TimeUnit) -> Int {
        integers.count { unit.plausible.contains($0) }
    }
}
