import Foundation
import Testing

@testable import ReaderStore

@Suite struct StateDirectoryTests {
    struct Case: CustomTestStringConvertible {
        var rule: String
        var option: String?
        var environment: [String: String] = [:]
        var isRoot = false
        var userName: String? = "ann"
        var expected: String

        var testDescription: String { rule }
    }

    static let everything = [
        "STATE_DIRECTORY": "/s", "XDG_STATE_HOME": "/x", "HOME": "/home/ann",
    ]

    @Test(
        "the first place that is named wins",
        arguments: [
            Case(
                rule: "the option before all", option: "/o", environment: everything, isRoot: true,
                expected: "/o"),
            Case(rule: "then the service manager's", environment: everything, isRoot: true, expected: "/s"),
            Case(
                rule: "the first of several", environment: ["STATE_DIRECTORY": "/a:/b"], expected: "/a"),
            Case(
                rule: "an empty variable is unset",
                environment: ["STATE_DIRECTORY": "", "XDG_STATE_HOME": "", "HOME": "/home/ann"],
                expected: "/home/ann/.local/state/pruned"),
            Case(
                rule: "the system's for root", environment: ["XDG_STATE_HOME": "/x", "HOME": "/root"],
                isRoot: true, userName: "root", expected: "/var/lib/pruned"),
            Case(
                rule: "the system's for the service's user", environment: ["XDG_STATE_HOME": "/x"],
                userName: "pruned", expected: "/var/lib/pruned"),
            Case(
                rule: "XDG for others", environment: ["XDG_STATE_HOME": "/x/", "HOME": "/home/ann"],
                expected: "/x/pruned"),
            Case(
                rule: "a relative XDG directory is ignored",
                environment: ["XDG_STATE_HOME": "x", "HOME": "/home/ann"],
                expected: "/home/ann/.local/state/pruned"),
            Case(rule: "the system's without a home", userName: nil, expected: "/var/lib/pruned"),
        ])
    func firstPlaceWins(_ test: Case) {
        let resolved = StateDirectory.resolve(
            option: test.option, environment: test.environment, isRoot: test.isRoot, userName: test.userName)
        #expect(resolved == test.expected)
    }

    @Test("missing directories are made, all the way")
    func missingDirectoriesAreMade() throws {
        let directory = try TemporaryDirectory()
        try StateDirectory.createIfMissing(at: directory.path + "/a/b/c")
        try StateDirectory.createIfMissing(at: directory.path + "/a/b/c")
        #expect(status(of: directory.path + "/a/b/c").map { $0.st_mode & S_IFMT } == S_IFDIR)
    }

    @Test("a setgid directory hands down its group and its bit")
    func setgidIsInherited() throws {
        let directory = try TemporaryDirectory()
        try directory.set(mode: 0o2770)
        try StateDirectory.createIfMissing(at: directory.path + "/state")
        #expect(mode(of: directory.path + "/state").map { $0 & 0o2000 } == 0o2000)
    }

    @Test(
        "the default store is in the shared directory, or where older versions had it until it is moved",
        arguments: [
            ([], "shared/reader.sqlite"), (["reader.sqlite"], "reader.sqlite"),
            (["shared/reader.sqlite"], "shared/reader.sqlite"),
            (["reader.sqlite", "shared/reader.sqlite"], "reader.sqlite"),
        ])
    func defaultStore(files: [String], expected: String) throws {
        let directory = try TemporaryDirectory()
        try StateDirectory.createIfMissing(at: directory.path)
        for file in files { try Data().write(to: URL(fileURLWithPath: directory.path + "/" + file)) }
        #expect(StateDirectory.store(in: directory.path) == directory.path + "/" + expected)
    }

    @Test("a link to a directory will do")
    func linkToDirectory() throws {
        let directory = try TemporaryDirectory()
        let link = directory.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directory.path)
        try StateDirectory.createIfMissing(at: link)
    }

    @Test(
        "what cannot be a directory is an error that says why",
        arguments: [("/dev/null", "Not a directory"), ("/proc/none/such", "No such file or directory")])
    func impossibleDirectory(path: String, cause: String) throws {
        let error = try #require(throws: ReaderStoreError.self) {
            try StateDirectory.createIfMissing(at: path)
        }
        #expect(error.kind == .inputOutput)
        #expect(error.cause == cause)
    }

    @Test(
        "a relative path is below the current directory, as the kernel reads it",
        arguments: [
            ("/a/../b", "/a/../b"), ("a/../b", "CURRENT/a/../b"), ("~", "CURRENT/~"), (".", "CURRENT/."),
        ])
    func absolute(path: String, expected: String) throws {
        let current = FileManager.default.currentDirectoryPath
        #expect(try StateDirectory.absolute(path) == expected.replacing("CURRENT", with: current))
    }

    @Test(
        "a path has a parent and a name, whatever it is",
        arguments: [
            ("/a/b", "/a", "b"), ("/a/b//", "/a", "b"), ("/a", "/", "a"), ("//a", "/", "a"), ("a", "", "a"),
            (".", "", "."), ("..", "", ".."), ("./a", ".", "a"), ("/", "/", ""), ("", "", ""),
        ])
    func parts(path: String, parent: String, name: String) {
        #expect(path.parentPath == parent && path.lastName == name)
    }
}
