import ArgumentParser
import Foundation
import TestSupport

/// The stores of which every run gets a fresh copy.
final class MasterStores {
    let directory: String
    /// This program.
    private let builder: String
    let progress = Progress()
    private var used: Set<String> = []

    /// Stores that stand in `directory` already are used again.
    init(in directory: String, builder: String) throws {
        self.directory = directory
        self.builder = builder
        try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: true)
    }

    private var copies: String { directory + "/copy" }

    /// A new copy of the store of `recipe`, in place of the one before.
    func copy(of recipe: StoreRecipe) throws -> StoreCopy {
        let master = try master(of: recipe)
        try removeCopy()
        try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: true)
        let copy = StoreCopy(directory: copies, recipe: recipe)
        // Not one that shares its blocks: the first write to such a copy pays for the copying.
        try Program("cp", ["--reflink=never", master, copy.path]).measured().checked()
        // The run that is measured must not pay for writing the copy to the disk.
        sync()
        return copy
    }

    /// Removes what was used, and the directory if nothing else is in it.
    func remove() throws {
        try removeCopy()
        for path in used { try FileManager.default.removeItem(atPath: path) }
        rmdir(directory)
    }

    /// Removes the copy of the last run.
    func removeCopy() throws {
        guard FileManager.default.fileExists(atPath: copies) else { return }
        try FileManager.default.removeItem(atPath: copies)
    }

    private func master(of recipe: StoreRecipe) throws -> String {
        let path = directory + "/" + recipe.name + ".sqlite"
        used.insert(path)
        guard !FileManager.default.fileExists(atPath: path) else { return path }
        let unfinished = path + ".unfinished"
        if FileManager.default.fileExists(atPath: unfinished) {
            try FileManager.default.removeItem(atPath: unfinished)
        }
        let build = try Program(builder, ["build", recipe.json, unfinished])
        let seconds = try build.measured().checked().usage.wallSeconds
        try FileManager.default.moveItem(atPath: unfinished, toPath: path)
        progress.say("built \(recipe.name) in \(seconds.formatted(digits: 1)) s")
        return path
    }
}

/// Makes one store. It is a process of its own because the benchmark's own memory counts as that of the programs it starts.
struct BuildCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "build", shouldDisplay: false)

    @Argument var recipe: StoreRecipe
    @Argument var path: String

    func run() throws { try StoreFilling(recipe: recipe).make(at: path) }
}

/// What the benchmark does at the moment, line by line on standard error.
struct Progress {
    private let start = MonotonicClock.nanoseconds

    func say(_ text: String) {
        let seconds = Double(MonotonicClock.nanoseconds - start) / 1e9
        FileHandle.standardError.write(Data("[\(seconds.formatted(digits: 0)) s] \(text)\n".utf8))
    }
}

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
        try Program.sqlite3(path, sql).measured().answer()
    }
}
