/// The checksums of a write-ahead log, over whatever it has in it: SQLite then believes all of its frames.
///
/// <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>
struct LogSeal {
    private static let (header, frameHeader) = (32, 24)

    private var bytes: [UInt8]
    private let isBigEndian: Bool
    private var sum: (UInt32, UInt32) = (0, 0)

    /// The log with its checksums and salts set anew, for pages of this size.
    static func sealing(_ bytes: [UInt8], pageSize: Int) -> [UInt8] {
        guard bytes.count >= header else { return bytes }
        var log = LogSeal(bytes: bytes, isBigEndian: bytes[3] & 1 == 1)
        log.seal(pageSize)
        return log.bytes
    }

    private mutating func seal(_ pageSize: Int) {
        add(0..<24)
        write(at: 24)
        var frame = Self.header
        while frame + Self.frameHeader + pageSize <= bytes.count {
            for place in 0..<8 { bytes[frame + 8 + place] = bytes[16 + place] }
            add(frame..<frame + 8)
            add(frame + Self.frameHeader..<frame + Self.frameHeader + pageSize)
            write(at: frame + 16)
            frame += Self.frameHeader + pageSize
        }
    }

    private mutating func add(_ range: Range<Int>) {
        for place in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
            sum.0 = sum.0 &+ word(place) &+ sum.1
            sum.1 = sum.1 &+ word(place + 4) &+ sum.0
        }
    }

    private func word(_ place: Int) -> UInt32 {
        let four = bytes[place..<place + 4]
        return (isBigEndian ? Array(four) : four.reversed()).reduce(0) { $0 << 8 | UInt32($1) }
    }

    private mutating func write(at place: Int) {
        for (offset, value) in [(0, sum.0), (4, sum.1)] {
            for byte in 0..<4 {
                bytes[place + offset + byte] = UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * byte))
            }
        }
    }
}
