import Foundation
import Testing

/// A store as another app makes it, with rows of each kind that its preset deletes or must keep.
///
/// A row's title begins with its fate: "goes" or "stays".
struct AppStore: Sendable, CustomTestStringConvertible {
    /// The name of its preset.
    let preset: String
    /// The app's tables, in the app's own order, with the defaults and the indexes that a gate does not ask for.
    let schema: String
    let rows: String
    /// The table that the preset's rule prunes.
    let table: String
    /// The titles that the app shows.
    let shown: String

    static let all = [
        newsboat, liferea, rssGuard, quiteRSS, freshRSS, nextcloudNews, yarr, fusion, coreData,
    ]

    var testDescription: String { preset }

    /// The SQL that makes it.
    var sql: String { schema + rows }

    /// An SQL expression: the time so many days ago, in seconds since 1970.
    static func ago(_ days: Int) -> String { "(unixepoch() - \(days) * 86400 - 3600)" }
}
