/// How full the file of a store is: what was deleted leaves free pages in it, which the app's next rows take.
package struct FreeSpace: Equatable, Sendable {
    /// The size of a page, in bytes.
    package let pageBytes: Int64
    /// All pages of the file.
    package let pages: Int64
    /// Those of them that hold nothing.
    package let free: Int64

    /// See the properties.
    package init(pageBytes: Int64, pages: Int64, free: Int64) {
        self.pageBytes = pageBytes
        self.pages = pages
        self.free = free
    }

    /// Whether giving the free pages back is worth its work: they are more than a twentieth of the file, and no fewer
    /// than 256.
    ///
    /// What a steady app frees and takes again from one run to the next stays below that, and is left to it. Once it
    /// is worth it, all free pages are given back: those that stayed would make the next run begin sooner, and save
    /// nothing.
    package var isWorthReclaiming: Bool {
        free >= Self.leastPages && free > pages / Self.leastShare
    }

    private static let leastPages: Int64 = 256
    private static let leastShare: Int64 = 20
}
