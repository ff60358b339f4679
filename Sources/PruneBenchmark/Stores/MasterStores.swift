import Foundation

/// The stores that every run gets a fresh copy of.
final class MasterStores {
    private let directory: String
    /// This program.
    private let builder: String
    private let progress: Progress
    private var used: Set<String> = []

    /// Stores that stand in `directory` already are used again.
    init(in directory: String, builder: String, progress: Progress) throws {
        self.directory = directory
        self.builder = builder
        self.progress = progress
        try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: true)
    }

    private var copies: String { directory + "/copy" }

    /// A new copy of the store of `recipe`, in place of the one before.
    func copy(of recipe: StoreRecipe) throws -> StoreCopy {
        let master = try master(of: recipe)
        try removeCopy()
        try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: true)
        let copy = StoreCopy(directory: copies, recipe: recipe)
        // Not one that shares its blocks: whoever writes to such a copy first pays for the copying.
        try Program("cp", ["--reflink=never", master, copy.path]).run().checked()
        // What is not on the disk yet would be written at the expense of the run that is measured.
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
        let build = Program(builder, BuildCommand.arguments(recipe, path: unfinished))
        let seconds = try build.run().checked().usage.wallSeconds
        try FileManager.default.moveItem(atPath: unfinished, toPath: path)
        progress.say("built \(recipe.name) in \(seconds.formatted(digits: 1)) s")
        return path
    }
}
