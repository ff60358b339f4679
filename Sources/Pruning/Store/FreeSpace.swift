/// How full a store is: what was deleted leaves free space in it, which the app's next rows take.
package struct FreeSpace: Equatable, Sendable {
    /// The size of the store.
    package let bytes: Int64
    /// How much of that holds nothing.
    package let freeBytes: Int64
    /// The least that can be given back at once.
    package let unitBytes: Int64

    package init(bytes: Int64, freeBytes: Int64, unitBytes: Int64) {
        self.bytes = bytes
        self.freeBytes = freeBytes
        self.unitBytes = unitBytes
    }

    /// Whether giving the free space back is worth its work: it is more than a twentieth of the store, and no less
    /// than 256 units.
    ///
    /// What a steady app frees and takes again from one run to the next stays below that, and is left to it. Once it
    /// is worth it, all free space is given back: what stayed would make the next run begin sooner, and save nothing.
    package var isWorthReclaiming: Bool {
        freeBytes >= Self.leastUnits * unitBytes && freeBytes > bytes / Self.leastShare
    }

    private static let leastUnits: Int64 = 256
    private static let leastShare: Int64 = 20
}
