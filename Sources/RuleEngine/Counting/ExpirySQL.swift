import FoundationEssentials
import Pruning

/// The SQL of a rule's time column.
package protocol TimeSQL {
    /// The column, as a condition compares it.
    var sql: String { get }
    /// The Unix second of a plausible time, rounded down. A local time is read as the zone's, about.
    var second: String { get }
    /// Is true of a plausible time, and false or NULL of any other value.
    var isPlausible: String { get }
    /// Is true of a time before `cutoff`, at whatever instant of those that it can mean.
    func isBefore(_ cutoff: Date) -> String
    /// A value of the column that the server wrote as text.
    func value(_ text: String) -> String
}

/// The SQL by which an engine tells which rows of a task's table go, in statements that begin with ``with(of:)`` and have ``from()``
/// and ``join``.
package protocol ExpirySQL {
    associatedtype Time: TimeSQL

    var task: PruneTask { get }
    /// Nil for a rule without a time.
    var time: Time? { get }
    /// Are true of a row that is old enough.
    var isPast: [String] { get }
    /// Are true of a row that is not marked yet.
    var notGone: [String] { get }
    /// Those of a row that only its time may keep, or a keeper, without the newest of groups.
    var demandedAlone: [String] { get }
    /// Is true of a row that goes.
    var expired: String { get }
    var nullNeverExpires: Bool { get }
    var reasons: RowReasons { get }
    var join: String { get }
    /// The table in FROM.
    func from() -> String
    /// `WITH ...` for a statement on `rows` ("FROM ... WHERE ...").
    func with(of rows: String) -> String
}

extension ExpirySQL {
    /// A question about rows of the table; `place` follows WHERE.
    package func question(_ selected: String, where place: [String], joined: Bool = false, _ end: String = "")
        -> String
    {
        let from = from()
        let terms = place.isEmpty ? "" : " WHERE " + place.joined(separator: " AND ")
        return "\(with(of: from))SELECT \(selected) \(from)\(joined ? join : "")\(terms)\(end)"
    }
}

/// Runs a statement; gives all its values as the server writes them, nil for NULL.
package typealias Asking = (_ sql: String) throws -> [[String?]]
