/// A store's size and free space. Deleted rows leave free space, which new rows of the app reuse.
package struct FreeSpace: Codable, Equatable, Sendable {
    /// The store's size.
    package let bytes: Int64
    /// The free part of it.
    package let freeBytes: Int64
    /// The smallest amount that can be given back.
    package let unitBytes: Int64

    package init(bytes: Int64, freeBytes: Int64, unitBytes: Int64) {
        self.bytes = bytes
        self.freeBytes = freeBytes
        self.unitBytes = unitBytes
    }

    /// Whether the free space is worth giving back: it is more than a twentieth of the store, and at least 256 units.
    ///
    /// The space that a steady app frees and reuses between two runs stays below that, and is left to the app. Above
    /// it, all free space is given back. Leaving some would only make the next reclaim start sooner.
    package var isWorthReclaiming: Bool {
        freeBytes >= Self.leastUnits * unitBytes && freeBytes > bytes / Self.leastShare
    }

    private static let leastUnits: Int64 = 256
    private static let leastShare: Int64 = 20
}
