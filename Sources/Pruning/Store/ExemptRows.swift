import FoundationEssentials

/// Rows that are old enough to go and stay, by what keeps them: each counts once.
package struct ExemptRows: Equatable, Sendable {
    /// Those that a lease keeps: they, or rows that would go with them, were put back from the archive.
    package var leased: Int64 = 0
    /// When the last of the leases ends; nil where there is none.
    package var leasesEnd: Date?
    /// Those of the others that are among the newest, which the rule keeps.
    package var newest: Int64 = 0
    /// Those of the rest whose key stands where the rule's keeper has it.
    package var keptBy: Int64 = 0

    /// None.
    package init() {}

    /// How many they are.
    package var total: Int64 { leased + newest + keptBy }
}
