import Foundation

/// The store of one run, alone in a state directory of its own.
struct StoreCopy {
    let directory: String
    let recipe: StoreRecipe

    /// The database file.
    var path: String { directory + "/" + Self.fileName(recipe.schema) }
    var configuration: String { directory + "/pruned.toml" }

    static func fileName(_ schema: StoreRecipe.Schema) -> String { schema.rawValue + ".sqlite" }

    /// The bytes of the database file and of what the log beside it adds.
    var bytes: Int64 { Self.bytes(of: path) + logBytes }
    /// The length of the write-ahead log; 0 when there is none. Never opens it.
    var logBytes: Int64 { Self.bytes(of: path + "-wal") }

    private static func bytes(of path: String) -> Int64 {
        var status = stat()
        return lstat(path, &status) == 0 ? Int64(status.st_size) : 0
    }

    /// The answer of the `sqlite3` program, which stops at the first error.
    func query(_ sql: String) throws -> String {
        try Program.sqlite3(path, sql).run().checked().output.trimmingCharacters(in: .newlines)
    }
}
