import Foundation
import TestSupport
import Testing

/// What a newcomer meets who builds from the sources, with stand-ins for what the machine has.
@Suite("Making it from the sources") struct MakefileTests {
    /// A directory of programs that goes before all others on PATH; each call of `apt-get` is recorded.
    private let tools = FileManager.default.temporaryDirectory.appending(path: "pruned-tools-\(UUID())")

    /// `swift` says this version. All packages count as missing unless they are `installed`.
    private func stand(inFor swift: String?, installed: Bool = false) throws {
        try FileManager.default.createDirectory(at: tools, withIntermediateDirectories: true)
        try write("swift", swift.map { "echo 'Swift version \($0) (swift-\($0)-RELEASE)'" } ?? "exit 127")
        try write("dpkg-query", installed ? "echo install ok installed" : "exit 1")
        for name in ["apt-get", "sudo"] { try write(name, "echo \"$0 $*\" >> '\(calls)'") }
    }

    private var calls: String { tools.path + "/calls" }

    private func write(_ name: String, _ script: String) throws {
        let file = tools.appending(path: name)
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    }

    private func make(_ arguments: String...) throws -> EndedProgram {
        defer { try? FileManager.default.removeItem(at: tools) }
        let line = ["env", "--unset=MAKEFLAGS", "PATH=\(tools.path):/usr/bin:/bin", "make", "-C"]
        return try Program(line + [Checkout.root.path] + arguments, inherits: true).run()
    }

    @Test(
        "a Swift that is missing or too old is told before anything is installed",
        arguments: [(nil, "none"), ("5.9", "5.9"), ("6.0.3", "6.0.3")], ["build", "run", "deb"])
    func swift(version: (String?, String), target: String) throws {
        try stand(inFor: version.0)
        try write("apt-get", "echo 'apt-get was called' >&2; exit 1")
        let made = try make(target)
        #expect(made.status != 0)
        #expect(made.errors.contains("is needed; on PATH: \(version.1).\n"), "\(made.errors)")
        #expect(!made.errors.contains("apt-get was called"), "\(made.errors)")
    }

    @Test("running it builds the two programs, and neither the campaign nor the benchmark")
    func run() throws {
        try stand(inFor: "99.0", installed: true)
        let steps = try make("--dry-run", "--always-make", "run").answer()
        let builds = steps.split(separator: "\n").filter { $0.hasPrefix("swift build ") }
        #expect(builds.count == 2, "\(builds)")
        #expect(
            builds.map { $0.split(separator: " ").suffix(2) } == [
                ["--product", "pruned"], ["--product", "reader"],
            ])
    }

    @Test("clang is found beside Swift, and where that has no libstdc++.a the message names g++")
    func compiler() throws {
        try stand(inFor: "99.0", installed: true)
        try write("clang", "echo libstdc++.a")
        let made = try make("STATIC=\(tools.path)/static", "\(tools.path)/static/libstdc++.a")
        #expect(made.status != 0)
        #expect(
            made.errors.contains(
                "No libstdc++.a is found by clang (\"\(tools.path)/clang\"): install the package g++"),
            "\(made.errors)")
    }
}
