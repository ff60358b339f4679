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

    /// The part of it that is used.
    package var usedBytes: Int64 { bytes - freeBytes }

    /// Whether both can be sizes, and one part of the other.
    package var isPlausible: Bool { bytes.isCount && freeBytes.isCount && freeBytes <= bytes }

    /// What VACUUM of a SQLite file would take, if a large share of it is free; else nil. It writes what is used to a file
    /// of its own, and from there back, by way of the log.
    package var vacuum: (freePercent: Int, bytes: Int64, duration: Duration)? {
        guard freeBytes >= Self.leastWaste, freeBytes > bytes / 10 * 3 else { return nil }
        let written = usedBytes * 2
        return (
            Int(Double(freeBytes) / Double(bytes) * 100), written,
            .seconds(max(1, (Double(written) / Self.vacuumRate).rounded(.up)))
        )
    }

    private static let leastWaste: Int64 = 8_000_000
    /// Bytes a second, of an ordinary disk.
    private static let vacuumRate = 100_000_000.0

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
