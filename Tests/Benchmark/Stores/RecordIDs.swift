import Foundation

/// What the ids of read records look like.
enum RecordIDs: String, Codable, CaseIterable {
    /// As Twitter made them: milliseconds since November 2010, then 22 bits for the machine, in decimal.
    case followingTime = "time"
    /// UUIDs.
    case random

    var inWords: String { self == .followingTime ? "ids that follow time" : "random ids" }

    /// The id of record `index`, which was made at `milliseconds`; the same in every store.
    func id(_ index: Int, at milliseconds: Int64) -> String {
        switch self {
        case .followingTime: String(Self.snowflake(index, at: milliseconds))
        case .random: Self.uuid(index)
        }
    }

    /// As ``id(_:at:)`` of ids that follow time.
    static func snowflake(_ index: Int, at milliseconds: Int64) -> Int64 {
        (milliseconds - 1_288_834_974_657) << 22 | Int64(noise(index) & 0x3F_FFFF)
    }

    private static func uuid(_ index: Int) -> String {
        var (high, low) = (noise(2 * index), noise(2 * index + 1))
        high = high & ~0xF000 | 0x4000  // version 4
        low = low & ~(0b11 << 62) | 0b10 << 62
        let uuid = withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { $0.loadUnaligned(as: uuid_t.self) }
        return UUID(uuid: uuid).uuidString
    }
}

/// A number that looks random and is the same for the same index in every store (SplitMix64's mixing).
func noise(_ index: Int) -> UInt64 {
    var bits = UInt64(truncatingIfNeeded: index) &* 0x9E37_79B9_7F4A_7C15 &+ 0x6265_6E63_6800_0001
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
}
