/// How large archives may get.
package struct ArchiveLimit: Codable, Equatable, Sendable {
    /// The archive of one store.
    package let size: ByteCount
    /// All archives of a state directory; nil if that has no limit.
    package let total: ByteCount?
    /// What the other archives take of ``total``.
    package private(set) var others: Int64 = 0

    package init(_ size: ByteCount, total: ByteCount? = nil) { (self.size, self.total) = (size, total) }

    /// The limit of one archive beside others of so many bytes.
    package func beside(_ others: Int64) -> ArchiveLimit {
        var limit = self
        limit.others = others
        return limit
    }

    /// Why an archive of so many bytes is full; nil if it is not. What to raise then is a key of `[archive]`.
    package func refusal(of bytes: Int64) -> (cause: String, key: String)? {
        if bytes > size.bytes { return ("the archive is full: max_size is \(size)", "max_size") }
        guard let total, bytes > total.bytes - others else { return nil }
        return ("the archives are full: max_total is \(total)", "max_total")
    }
}
