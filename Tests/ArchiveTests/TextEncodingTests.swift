import TestSupport
import Testing

@testable import Archive

struct TextEncodingTests {
    @Test("any bytes, NULL and the empty value are read as they were written", arguments: 0..<20)
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let columns = Int.random(in: 1...6, using: &generator)
        let rows: [[ArchivedValue]] = (0..<Int.random(in: 0...30, using: &generator)).map { _ in
            (0..<columns).map { _ in
                guard Int.random(in: 0..<4, using: &generator) > 0 else { return .null }
                let length =
                    [0, 1, 126, 127, 128, 16_382, 16_383, 20_000].randomElement(using: &generator) ?? 0
                return .text((0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) })
            }
        }
        var bytes: [UInt8] = []
        for value in rows.joined() { TextEncoding.append(value.bytes, to: &bytes) }
        #expect(try TextEncoding.rows(in: bytes, columns: columns) == rows)
    }

    @Test("bytes that end too early are no rows")
    func truncated() throws {
        var bytes: [UInt8] = []
        TextEncoding.append(Array("seven!!".utf8), to: &bytes)
        TextEncoding.append(nil as [UInt8]?, to: &bytes)
        for length in 1..<bytes.count {
            #expect(throws: RowEncoding.Unreadable.self) {
                try TextEncoding.rows(in: Array(bytes[..<length]), columns: 2)
            }
        }
    }
}
