import TestSupport
import Foundation

/// The reading app on a state directory.
extension StateDirectory {
    /// The app with these arguments; its times are in UTC.
    func reader(_ arguments: String...) -> Program { reader(arguments) }

    func reader(_ arguments: [String]) -> Program {
        var program = Program.reader
        program.arguments = arguments + ["--state-dir", path]
        program.environment = ["TZ": "UTC"]
        program.prefix = prefix
        return program
    }

    /// Lets the app import this, on its standard input.
    func importing(_ json: String, _ arguments: String...) throws -> EndedProgram {
        let app = try reader(["timeline", "import", "-"] + arguments).start(feeds: true)
        try app.feed(json)
        return try app.wait()
    }

    /// One with ``Tweets/two``, of which the app has read the newer.
    static func withTimeline() throws -> StateDirectory {
        let state = try StateDirectory()
        try state.importing(Tweets.two).checked()
        try state.reader("read", "11").run().checked()
        return state
    }
}

/// Timelines as the API serves them.
enum Tweets {
    static let two = "[\(ada), \(grace)]"
    static let ada = tweet(7, "Engines", "Sat Oct 10 20:19:24 +0000 2026", by: "ada")
    static let grace = tweet(11, "Compilers", "2026-10-11T08:00:00Z", by: "grace")

    static func tweet(_ id: Int, _ text: String, _ createdAt: String, by name: String) -> String {
        """
        {"id": \(id), "text": "\(text)", "created_at": "\(createdAt)", "user": {"id": \(name.utf8.count),
         "name": "\(name.capitalized)", "screen_name": "\(name)",
         "profile_image_url_https": "https://images.example/\(name).png"}}
        """
    }
}

extension EndedProgram {
    /// Its standard output as JSON, an object.
    func object() throws -> NSDictionary {
        guard let object = try json() as? NSDictionary else { throw ProgramFailed(program: self) }
        return object
    }

    /// The same, an array of objects.
    func objects() throws -> [NSDictionary] {
        guard let objects = try json() as? [NSDictionary] else { throw ProgramFailed(program: self) }
        return objects
    }

    /// Whether it has said one thing, in one line, and printed nothing.
    var saysOneLine: Bool {
        output.isEmpty && errors.hasPrefix("reader: ") && errors.hasSuffix("\n")
            && !errors.dropLast().contains { $0.isNewline }
    }
}
