import TestSupport
import Foundation

/// Debian's newsboat, without a terminal, in a home directory of the test's.
struct Newsboat {
    let home: Sandbox
    let cache: Database

    init(feeds: [String]) throws {
        home = try Sandbox()
        try home.write("urls", feeds.joined(separator: "\n") + "\n")
        try home.write("config", "")
        cache = Database(path: home.path + "/cache.db")
    }

    func program(_ arguments: String...) -> Program {
        Program(
            path: "newsboat",
            arguments: ["-u", home.path + "/urls", "-C", home.path + "/config", "-c", cache.path] + arguments,
            environment: ["HOME": home.path], directory: home.path)
    }

    /// Fetches each feed.
    func reload() throws {
        try program("-x", "reload").run().checked()
    }

    /// Has it take these articles for read.
    func read(_ ids: [String]) throws {
        try program("-I", home.write("read", ids.joined(separator: "\n") + "\n")).run().checked()
    }
}
