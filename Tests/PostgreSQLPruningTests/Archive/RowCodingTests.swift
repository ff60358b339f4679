import TestSupport
import Testing

@testable import PostgreSQLPruning

@Suite("The encoding of archived rows")
struct RowCodingTests {
    @Test("any bytes, NULL and the empty value are read as they were written", arguments: 0..<20)
    func roundTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let columns = Int.random(in: 1...6, using: &generator)
        let rows: [[RowCoding.Value]] = (0..<Int.random(in: 0...30, using: &generator)).map { _ in
            (0..<columns).map { _ in
                guard Int.random(in: 0..<4, using: &generator) > 0 else { return nil }
                let length =
                    [0, 1, 126, 127, 128, 16_382, 16_383, 20_000].randomElement(using: &generator) ?? 0
                return (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            }
        }
        var bytes: [UInt8] = []
        for value in rows.joined() { RowCoding.append(value, to: &bytes) }
        #expect(try RowCoding.rows(in: bytes, columns: columns) == rows)
    }

    @Test("bytes that end too early are no rows")
    func truncated() throws {
        var bytes: [UInt8] = []
        RowCoding.append(Array("seven!!".utf8), to: &bytes)
        RowCoding.append(nil as RowCoding.Value, to: &bytes)
        for length in 1..<bytes.count {
            #expect(throws: RowCoding.Unreadable.self) {
                try RowCoding.rows(in: Array(bytes[..<length]), columns: 2)
            }
        }
    }
}
