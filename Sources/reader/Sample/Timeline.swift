/// Instants spread evenly over the days before now, oldest first, in Unix milliseconds.
///
/// None is within two hours of the cutoff of the rule that will prune them. So the number of deleted rows does not
/// depend on the second in which a run starts or on a clock change, and the next run deletes nothing.
struct Timeline {
    let count: Int
    let now: Int64
    let days: Int64
    let keptDays: Int64

    private static let day: Int64 = 86_400_000
    private static let clearance: Int64 = 2 * 3_600_000

    /// The instant of row `index`. It is later than that of the row before.
    func milliseconds(_ index: Int) -> Int64 {
        let spread = days * Self.day - 2 * Self.clearance
        let step = spread / Int64(count)
        let within = Int64(noise(index) % UInt64(step))
        let offset = Int64(index) * step + within
        let quietFrom = (days - keptDays) * Self.day - Self.clearance
        return (now - days * 86_400) * 1_000 + offset + (offset < quietFrom ? 0 : 2 * Self.clearance)
    }
}

/// A number that looks random, but is the same for the same index in every sample (the mixing function of SplitMix64).
func noise(_ index: Int) -> UInt64 {
    var bits = UInt64(truncatingIfNeeded: index) &* 0x9E37_79B9_7F4A_7C15 &+ 0x7075_6E65_6400_0001
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
}
