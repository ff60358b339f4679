import FoundationEssentials

/// How many rows of a table have their time in a short stretch that begins at an instant.
package struct TimeCount: Equatable, Sendable {
    /// Where the stretch begins; it ends before the next one does.
    package let start: Date
    /// The rows whose time is in it.
    package let rows: Int64

    /// See the properties.
    package init(start: Date, rows: Int64) {
        self.start = start
        self.rows = rows
    }
}
