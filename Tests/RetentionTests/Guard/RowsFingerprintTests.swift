import Foundation
import Retention
import Testing

struct RowsFingerprintTests {
    private func fingerprint(_ hashes: UInt64...) -> RowsFingerprint {
        var fingerprint = RowsFingerprint()
        for hash in hashes { fingerprint.add(hash) }
        return fingerprint
    }

    @Test("the order of the rows does not matter, and equal rows count each")
    func equality() {
        #expect(fingerprint(1, .max, 3) == fingerprint(3, 1, .max))
        #expect(fingerprint(5) != fingerprint(5, 5))
        #expect(fingerprint(5, 5) != fingerprint(7, 7))
        #expect(fingerprint() == RowsFingerprint() && fingerprint(0) != fingerprint())
    }

    @Test("what is taken out of a set leaves the rest")
    func rest() {
        #expect(fingerprint(1, .max, 3, 3) - fingerprint(3, .max) == fingerprint(3, 1))
        #expect(fingerprint(1, 2) - fingerprint(2, 1) == RowsFingerprint())
    }

    @Test("a file keeps all of it")
    func kept() throws {
        for sum in [0, 0xABC, UInt64.max] {
            let fingerprint = RowsFingerprint(rows: 12, sum: sum)
            let data = try JSONEncoder().encode(fingerprint)
            #expect(try JSONDecoder().decode(RowsFingerprint.self, from: data) == fingerprint)
        }
    }

    @Test(
        "what is no such thing is not read",
        arguments: [
            #"{"left": 400, "in_hand": 30}"#, #"{"rows": 4}"#, #"{"rows": 4, "hash_sum": 5}"#,
            #"{"rows": 4, "hash_sum": "-1"}"#, #"{"rows": 4, "hash_sum": "x"}"#,
        ])
    func foreign(text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(RowsFingerprint.self, from: Data(text.utf8))
        }
    }
}
