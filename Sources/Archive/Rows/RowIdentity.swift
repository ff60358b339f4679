/// By what a row is recognized when it comes back under another key; see ``IdentitySource``.
package enum RowIdentity {
    /// What stands for a row that has no identity, or whose identity was taken out of the archive.
    package static let none: UInt64 = 0

    /// The identity of a row. `bytes` are its values in ``RowEncoding``, so that a text differs from a blob of the same
    /// bytes and an integer from a real number.
    package static func of(_ bytes: [UInt8], columns: Int) -> UInt64 {
        // Only NULL takes a single byte.
        guard bytes.count > columns else { return none }
        let hash = XXHash64.hash(bytes)
        return hash == none ? 1 : hash
    }
}
