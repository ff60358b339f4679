import Testing

@testable import Archive

struct RowEncodingTests {
    private static let rows: [[ArchivedValue]] = [
        [.null, .integer(.min), .real(-0.0), .text([]), .blob([])],
        [.integer(0), .integer(.max), .real(.infinity), .text([0x66, 0xFF, 0, 0xFE]), .blob([0, 1, 2])],
        [.integer(-1), .real(.leastNonzeroMagnitude), .null, .text(Array("ä".utf8)), .null],
        [
            .text(Array(repeating: 0x61, count: 127)), .text(Array(repeating: 0x62, count: 128)),
            .blob(Array(repeating: 0xFF, count: 70_000)), .null, .null,
        ],
    ]

    private static func encoded(_ rows: [[ArchivedValue]]) -> [UInt8] {
        var bytes: [UInt8] = []
        for value in rows.joined() { RowEncoding.append(value, to: &bytes) }
        return bytes
    }

    @Test("rows come back as they were, bit for bit")
    func comesBack() throws {
        let back = try RowEncoding.rows(in: Self.encoded(Self.rows), columns: 5)
        #expect(back == Self.rows)
        guard case .real(let zero) = back[0][2] else { return #expect(Bool(false)) }
        #expect(zero.sign == .minus)
        #expect(try RowEncoding.rows(in: [], columns: 5) == [])
    }

    @Test("what is cut off anywhere within a row is not read as something else")
    func cutOff() throws {
        let bytes = Self.encoded(Array(Self.rows[1...1]))
        for length in 1..<bytes.count {
            #expect(throws: RowEncoding.Unreadable.self) {
                try RowEncoding.rows(in: Array(bytes[..<length]), columns: 5)
            }
        }
    }

    @Test(
        "what was never written is refused",
        arguments: [[9], [3, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], [4, 2, 1]] as [[UInt8]])
    func refused(bytes: [UInt8]) {
        #expect(throws: RowEncoding.Unreadable.self) { try RowEncoding.rows(in: bytes, columns: 1) }
    }
}
