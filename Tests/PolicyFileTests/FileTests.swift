import Foundation
import PolicyFile
import Retention
import Testing

/// The way from a path to the file's text, on real files.
struct FileTests {
    let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(component: "pruned-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    private func withFile(_ bytes: [UInt8], _ body: (String) throws -> Void) throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(component: "pruned.toml")
        try Data(bytes).write(to: file)
        try body(file.path)
    }

    private func read(_ path: String) throws(PolicyFileError) -> RetentionPolicy {
        try ConfigurationFiles(path).read(systemTimeZone: .gmt).policy
    }

    @Test("a file is read as its text is parsed")
    func reads() throws {
        let expected = try parse(file(rule: enough))
        try withFile(Array(file(rule: enough).utf8)) { path in
            let policy = try read(path)
            #expect(policy == expected)
        }
    }

    @Test("an error in a file names the path")
    func namesThePath() throws {
        try withFile(Array("a = ".utf8)) { path in
            let error = try #require(throws: PolicyFileError.self) { try read(path) }
            #expect(error.description.hasPrefix("\(path): line 1, column 5: "))
        }
    }

    @Test("a missing file is told from one that cannot be read")
    func missing() throws {
        let error = try #require(throws: PolicyFileError.self) { try read("/nonexistent/pruned.toml") }
        #expect(error.description == "/nonexistent/pruned.toml: cannot be read: No such file or directory")
        #expect(error.hint.contains("built-in policy"))
        let loop = try #require(throws: PolicyFileError.self) {
            try read(String(repeating: "x", count: 5_000))
        }
        #expect(loop.reason == "cannot be read: File name too long")
    }

    @Test("what is not a regular file is refused, and a pipe without a writer does not block")
    func irregular() throws {
        #expect(throws: PolicyFileError.self) { try read("/dev/zero") }
        try withFile([]) { path in
            let parent = directory.path
            let error = try #require(throws: PolicyFileError.self) { try read(parent) }
            #expect(error.description == "\(parent): is a directory")
            let pipe = path + ".pipe"
            try #require(mkfifo(pipe, 0o600) == 0)
            let refused = try #require(throws: PolicyFileError.self) { try read(pipe) }
            #expect(refused.reason == "is not a regular file")
        }
    }

    @Test("a mebibyte is read, a byte more is not")
    func size() throws {
        let text = Array(file(rule: enough).utf8)
        let filled = text + Array(repeating: UInt8(ascii: "\n"), count: 1_048_576 - text.count)
        try withFile(filled) { path in
            let policy = try read(path)
            #expect(policy.rules.count == 1)
            try Data(filled + [UInt8(ascii: "\n")]).write(to: URL(filePath: path))
            let error = try #require(throws: PolicyFileError.self) { try read(path) }
            #expect(error.reason == "is larger than 1 MiB")
        }
    }

    @Test(
        "bytes that are not UTF-8 are refused with their line",
        arguments: [[0xE4], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xC3]])
    func encoding(bytes: [UInt8]) throws {
        try withFile(Array("# ä\n# ".utf8) + bytes + Array("\n".utf8)) { path in
            let error = try #require(throws: PolicyFileError.self) { try read(path) }
            #expect(error.place == .line(2, column: nil))
            #expect(error.reason == "is not valid UTF-8")
        }
    }

    @Test("a path that could break the line is escaped")
    func hostilePath() throws {
        let error = try #require(throws: PolicyFileError.self) { try read("/nonexistent/a\nb") }
        #expect(error.file == "/nonexistent/a\\u000Ab")
    }
}
