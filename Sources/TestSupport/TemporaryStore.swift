import Foundation
import GRDB

/// A real SQLite file, as an app would have made it, in a directory of its own.
package final class TemporaryStore: Sendable {
    /// The directory that holds nothing but the store.
    package let directory: TemporaryDirectory
    /// The file, by its absolute path.
    package let path: String

    /// Makes a file called `name` and runs `sql` on it, as the app that owns it.
    package init(_ sql: String, name: String = "app.sqlite") throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/" + name
        try execute(sql)
    }

    /// Opens the file as its app would, for the time of `body`.
    package func open<Result>(foreignKeys: Bool = true, _ body: (Database) throws -> Result) throws -> Result
    {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = foreignKeys
        configuration.busyMode = .timeout(5)
        // Beginning with a slash, so that it is not taken for a URI.
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        return try queue.writeWithoutTransaction(body)
    }

    /// Runs statements on a connection of their own.
    package func execute(_ sql: String) throws {
        try open { try $0.execute(sql: sql) }
    }

    /// The first column of what a query yields, as text.
    package func texts(_ sql: String) throws -> [String] {
        try open { try String.fetchAll($0, sql: sql) }
    }

    /// The first column of what a query yields, as integers.
    package func integers(_ sql: String) throws -> [Int64] {
        try open { try Int64.fetchAll($0, sql: sql) }
    }
}
