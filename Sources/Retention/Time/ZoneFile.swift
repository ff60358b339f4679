extension Zone {
    /// Parses a tzdata file in the format of RFC 9636 (TZif), version 2 or later. Nil for any other file. Also nil for
    /// zones that count leap seconds, because Unix time does not count them.
    package init?(identifier: String, file: [UInt8]) {
        var reader = ZoneFileReader(file[...])
        // The first block has 32-bit times, for old programs, and is skipped.
        guard let old = reader.header(), old.version >= 2, reader.skip(old.size(ofTime: 4)),
            let header = reader.header(), header.leapSeconds == 0, header.types > 0,
            let times = reader.numbers(header.transitions, Int64.self),
            let indices = reader.numbers(header.transitions, UInt8.self)
        else { return nil }
        var types: [Int] = []
        for _ in 0..<header.types {
            guard let offset = reader.number(Int32.self), reader.skip(2) else { return nil }
            types.append(Int(offset))
        }
        guard reader.skip(header.names + header.standardFlags + header.universalFlags),
            let footer = reader.footer(), indices.allSatisfy({ $0 < types.count }),
            zip(times, times.dropFirst()).allSatisfy({ $0 < $1 }),
            types.allSatisfy({ $0.magnitude < 86_400 })
        else { return nil }
        let yearly = YearlyOffsets(footer)
        guard footer.isEmpty || yearly != nil else { return nil }
        self.init(
            identifier: identifier, transitions: times, offsets: [types[0]] + indices.map { types[Int($0)] },
            yearly: yearly)
    }
}

/// Reads big-endian numbers, never beyond the end.
private struct ZoneFileReader {
    struct Header {
        let version: Int
        let universalFlags, standardFlags, leapSeconds, transitions, types, names: Int

        func size(ofTime time: Int) -> Int {
            transitions * (time + 1) + types * 6 + names + leapSeconds * (time + 4) + standardFlags
                + universalFlags
        }
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func skip(_ count: Int) -> Bool {
        guard count <= rest.count else { return false }
        rest.removeFirst(count)
        return true
    }

    mutating func number<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
        let size = Number.bitWidth / 8
        guard size <= rest.count else { return nil }
        let number = rest.prefix(size).reduce(Number(0)) { $0 << 8 | Number(truncatingIfNeeded: $1) }
        rest.removeFirst(size)
        return number
    }

    mutating func numbers<Number: FixedWidthInteger>(_ count: Int, _: Number.Type) -> [Number]? {
        guard count <= rest.count else { return nil }
        return (0..<count).compactMap { _ in number(Number.self) }.nilUnless { $0.count == count }
    }

    mutating func header() -> Header? {
        guard rest.starts(with: "TZif".utf8), skip(4), let version = number(UInt8.self), skip(15),
            let counts = numbers(6, UInt32.self)?.map(Int.init)
        else { return nil }
        return Header(
            version: max(1, Int(version) - Int(UInt8(ascii: "0"))), universalFlags: counts[0],
            standardFlags: counts[1], leapSeconds: counts[2], transitions: counts[3], types: counts[4],
            names: counts[5])
    }

    /// Reads the footer, between the last two newlines.
    mutating func footer() -> String? {
        let newline = UInt8(ascii: "\n")
        guard rest.first == newline, let end = rest.dropFirst().firstIndex(of: newline) else { return nil }
        return String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self)
    }
}

extension Array {
    fileprivate func nilUnless(_ isRight: (Self) -> Bool) -> Self? { isRight(self) ? self : nil }
}
