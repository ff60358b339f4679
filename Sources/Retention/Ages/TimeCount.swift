import Foundation

/// How many rows of a table have their time in a short stretch that begins at an instant.
public struct TimeCount: Equatable, Sendable {
    /// Where the stretch begins; it ends before the next one does.
    public let start: Date
    /// The rows whose time is in it.
    public let rows: Int64

    /// See the properties.
    public init(start: Date, rows: Int64) {
        self.start = start
        self.rows = rows
    }
}
