import TestSupport
import Foundation
import Testing

/// How the reading app says what cannot be done: one line, and the exit status for its kind.
@Suite struct ReaderErrorTests {
    @Test("an unknown tweet is named (1)")
    func unknownTweet() throws {
        let ended = try StateDirectory.withTimeline().reader("read", "99").run()
        #expect(ended.status == 1 && ended.saysOneLine, "\(ended)")
        #expect(ended.errors.contains("tweet 99"), "\(ended)")
    }

    @Test(
        "what is no timeline is refused with the place where it goes wrong (65), and makes no store",
        arguments: [
            ("", "JSON"), ("[", "JSON"), ("{}", "array"), ("[{}]", "at [0]"), ("\u{FEFF}<html>", "JSON"),
            (Tweets.two.replacing("08:00:00Z", with: "later"), "at [1].created_at"),
            (Tweets.two.replacing("\"id\": 11", with: "\"id\": \"11\""), "at [1].id"),
        ])
    func badJSON(input: String, place: String) throws {
        let state = try StateDirectory()
        let ended = try state.importing(input)
        #expect(ended.status == 65 && ended.saysOneLine, "\(ended)")
        #expect(ended.errors.contains("standard input") && ended.errors.contains(place), "\(ended)")
        #expect(FileTree(state.sandbox.path).names.isEmpty)
    }

    @Test("a time that the store cannot hold is refused (65), and nothing is imported")
    func impossibleTime() throws {
        let state = try StateDirectory()
        let early = Tweets.tweet(1, "Early", "1999-12-31T23:59:59Z", by: "early")
        let ended = try state.importing("[\(Tweets.ada), \(early)]")
        #expect(ended.status == 65 && ended.saysOneLine, "\(ended)")
        #expect(ended.errors.contains("tweet 1 "), "\(ended)")
        #expect(try state.store.count("SELECT count(*) FROM tweet") == 0)
    }

    @Test(
        "a file that cannot be read is named, with the cause (74)",
        arguments: [("missing", "No such file or directory"), ("directory", "Is a directory")])
    func unreadableFile(name: String, cause: String) throws {
        let state = try StateDirectory()
        _ = try state.sandbox.makeDirectory("directory")
        let file = state.sandbox.path + "/" + name
        let ended = try state.reader("timeline", "import", file).run()
        #expect(ended.status == 74 && ended.saysOneLine, "\(ended)")
        #expect(ended.errors == "reader: cannot read \(file): \(cause)\n")
    }

    @Test("a state directory that cannot be made is named (74)")
    func impossibleDirectory() throws {
        let state = try StateDirectory()
        let file = try state.sandbox.write("file", "")
        let ended = try StateDirectory(at: file + "/below", prefix: []).reader("show").run()
        #expect(ended.status == 74 && ended.saysOneLine, "\(ended)")
        #expect(ended.errors.contains(file) && ended.errors.contains("Not a directory"), "\(ended)")
    }

    @Test(
        "a store of a newer version is refused and left alone (65)", arguments: [["show"], ["items", "add"]])
    func newerStore(arguments: [String]) throws {
        let state = try StateDirectory.withTimeline()
        try state.store.query("PRAGMA user_version = 99; PRAGMA wal_checkpoint(TRUNCATE)")
        let before = FileManager.default.contents(atPath: state.storePath)
        let ended = try state.reader(arguments).run()
        #expect(ended.status == 65 && ended.saysOneLine, "\(ended)")
        #expect(ended.errors.contains("its version is 99") && ended.errors.contains("update"), "\(ended)")
        #expect(FileManager.default.contents(atPath: state.storePath) == before)
    }

    @Test("what is no store is refused (65)")
    func noStore() throws {
        let state = try StateDirectory()
        _ = try state.sandbox.makeDirectory("state/shared")
        try state.sandbox.write(
            "state/shared/reader.sqlite", String(repeating: "not a database ", count: 100))
        let ended = try state.reader("show").run()
        #expect(ended.status == 65 && ended.saysOneLine, "\(ended)")
    }

    @Test("a store that somebody keeps locked is busy (75); reading goes on meanwhile")
    func busyStore() throws {
        let state = try StateDirectory.withTimeline()
        let other = try state.store.program.start(feeds: true)
        try other.feed("BEGIN IMMEDIATE; SELECT 'locked';\n")
        try eventually("locked") { other.output.contains("locked") }
        #expect(try state.reader("unread").run().checked().output.hasPrefix("unread: 1\n"))
        let ended = try state.reader("items", "add").run()
        #expect(ended.status == 75 && ended.saysOneLine, "\(ended)")
        #expect(ended.errors.contains("locked") && ended.errors.contains("try again"), "\(ended)")
        try other.feed("COMMIT;\n")
        try other.wait().checked()
    }

    @Test(
        "what is not a command line is a usage error (64) and touches nothing",
        arguments: [
            ["nonsense"], ["show", "--nonsense"], ["read"], ["read", "x"], ["read", "99999999999999999999"],
            ["timeline", "import"], ["items", "add", "0"], ["items", "add", "x"], ["items", "delete"],
            ["items", "delete", "--older-than", "183"], ["items", "delete", "--older-than", "0d"],
            ["items", "delete", "--older-than", "-1d"], ["items", "delete", "--older-than", "1 fortnight"],
            ["sample", "--records", "0"], ["show", "--state-dir", ""],
        ])
    func usage(arguments: [String]) throws {
        let sandbox = try Sandbox()
        var reader = Program.reader
        reader.arguments = arguments
        reader.environment = ["STATE_DIRECTORY": sandbox.path + "/state"]
        let ended = try reader.run()
        #expect(ended.status == 64, "\(ended)")
        #expect(ended.output.isEmpty && !ended.errors.isEmpty)
        #expect(FileTree(sandbox.path).names.isEmpty)
    }

    @Test("--help names every command, every exit status, and not what is only for trying things")
    func help() throws {
        var reader = Program.reader
        reader.arguments = ["--help"]
        let words = try reader.run().checked().output.split(whereSeparator: \.isWhitespace)
        for word in [
            "show", "timeline", "unread", "read", "items", "watch", "sample", "64", "65", "74", "75",
        ] {
            #expect(words.contains { $0.trimmingCharacters(in: .punctuationCharacters) == word }, "\(word)")
        }
        #expect(!words.contains("load"))
    }

    @Test("whoever stands in a directory that is gone is told so (74), and nothing is made in its place")
    func directoryThatIsGone() throws {
        let sandbox = try Sandbox()
        let directory = try sandbox.makeDirectory("gone")
        for program in [Program.reader.path + " items", Program.pruned.path + " --run-now"] {
            let line =
                "cd \(directory) && rmdir \(directory) && \(program) --state-dir .; s=$?; mkdir \(directory); exit $s"
            let ended = try Program(path: "bash", arguments: ["-c", line]).run()
            #expect(ended.status == 74 && ended.errors.contains("current directory"), "\(ended)")
        }
        #expect(FileTree(sandbox.path).names == ["gone"])
    }

    @Test("the app and the service mean the same store, whatever the path is")
    func sameStore() throws {
        let sandbox = try Sandbox()
        let script = """
            cd \(sandbox.path) && mkdir -p real/sub && ln -s real/sub link &&
            for d in link/../odd '~'; do
                \(Program.reader.path) items add 3 --state-dir "$d" && \(Program.pruned.path) --run-now --state-dir "$d"
            done; ls -d real/odd '~' ; find . -name reader.sqlite | sort
            """
        let ended = try Program(path: "bash", arguments: ["-c", script]).run().checked()
        #expect(
            ended.output.hasSuffix("./real/odd/shared/reader.sqlite\n./~/shared/reader.sqlite\n"), "\(ended)")
    }
}
