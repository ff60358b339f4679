import Foundation
import GRDB

/// A real SQLite file, like one that an app has created, in its own directory.
package final class TemporaryStore: Sendable {
    /// The directory, which has only the store.
    package let directory: TemporaryDirectory
    /// The absolute path of the file.
    package let path: String

    /// Creates a file called `name` and executes `sql` on it, as its app would.
    package init(_ sql: String, name: String = "app.sqlite") throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/" + name
        try execute(sql)
    }

    /// Opens the file for the duration of `body`, as its app would.
    package func open<Result>(foreignKeys: Bool = true, _ body: (Database) throws -> Result) throws -> Result
    {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = foreignKeys
        configuration.busyMode = .timeout(5)
        // The path begins with a slash, so that it is not taken for a URI.
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        return try queue.writeWithoutTransaction(body)
    }

    /// Executes statements on a new connection.
    package func execute(_ sql: String) throws {
        try open { try $0.execute(sql: sql) }
    }

    /// The first column of a query's result, as text.
    package func texts(_ sql: String) throws -> [String] {
        try open { try String.fetchAll($0, sql: sql) }
    }

    /// The first column of a query's result, as integers.
    package func integers(_ sql: String) throws -> [Int64] {
        try open { try Int64.fetchAll($0, sql: sql) }
    }
}
