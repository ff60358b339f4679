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
}
