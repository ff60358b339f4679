/// Fingerprints as the archive stores them: eight bytes each, the lowest first.
enum FingerprintEncoding {
    static func bytes(_ fingerprints: [UInt64]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8 * fingerprints.count)
        for fingerprint in fingerprints {
            withUnsafeBytes(of: fingerprint.littleEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    static func fingerprints(in bytes: [UInt8]) -> [UInt64] {
        stride(from: 0, to: bytes.count - 7, by: 8).map { start in
            bytes[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
}
