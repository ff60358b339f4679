import Foundation
import RealPrograms
import Testing

/// A PostgreSQL database as an app makes it, with rows of each kind that its preset deletes or must keep.
///
/// A row's title begins with its fate: "goes" or "stays".
struct ServerApp: Sendable, CustomTestStringConvertible {
    /// The name of its preset.
    let preset: String
    /// The name of the preset's rule.
    let rule: String
    /// The app's tables, with the defaults and the indexes that a gate does not ask for.
    let schema: String
    let rows: String
    /// The table that the preset's rule prunes.
    let table: String
    /// The titles that the app shows.
    let shown: String

    static let all =
        [miniflux, minifluxStatus, freshRSS, nextcloudNews, stringer] + [ttRSS].compactMap(\.self)

    var testDescription: String { preset }

    /// An SQL expression: the time so many days ago.
    static func ago(_ days: Int) -> String { "(now() - interval '\(days) days 1 hour')" }

    /// The same in seconds since 1970.
    static func secondsAgo(_ days: Int) -> String { "floor(extract(epoch FROM \(ago(days))))::bigint" }

    /// The same as a time without a zone, in UTC.
    static func localAgo(_ days: Int) -> String { "\(ago(days)) AT TIME ZONE 'UTC'" }
}
