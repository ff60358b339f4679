import Foundation
import Testing

/// The README, where it can be wrong without anybody noticing.
struct ReadmeTests {
    private static let checkout = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test("each promise names tests that there are")
    func promises() throws {
        let readme = try String(contentsOf: Self.checkout.appending(path: "README.md"), encoding: .utf8)
        let start = try #require(readme.range(of: "## What keeps your data safe\n"))
        let end = try #require(readme.range(of: "\n## ", range: start.upperBound..<readme.endIndex))
        let page = readme[start.upperBound..<end.lowerBound]
        let promises = page.components(separatedBy: "\n### ")[0].components(separatedBy: "\n- ").dropFirst()
        #expect(promises.count > 15)
        for promise in promises {
            #expect(promise.contains(/`\w+Tests\/\w+`/), "no test holds this: \(promise)")
        }
        for (name, suite, test) in page.matches(of: /`(\w+Tests)\/(\w+)`/).map(\.output) {
            #expect(try sources(of: suite).contains { $0.contains("func \(test)(") }, "\(name)")
        }
    }

    @Test("each kind of entry in the history is explained")
    func historyKinds() throws {
        let readme = try String(contentsOf: Self.checkout.appending(path: "README.md"), encoding: .utf8)
        let path = "Sources/Pruning/History/HistoryEntry.swift"
        let source = try String(contentsOf: Self.checkout.appending(path: path), encoding: .utf8)
        let kinds = try #require(source.firstMatch(of: /enum Kind: String[^{]*\{([^}]*)\}/)?.output.1)
            .matches(of: /case ([a-z, ]+)/).flatMap { $0.output.1.split(separator: ", ") }
        #expect(kinds.count > 5)
        for kind in kinds { #expect(readme.contains("\n- `\(kind)`: "), "\(kind)") }
    }

    /// The files of that name in all targets' tests.
    private func sources(of suite: Substring) throws -> [String] {
        let tests = Self.checkout.appending(path: "Tests").path
        let files = try FileManager.default.subpathsOfDirectory(atPath: tests)
        return try files.filter { $0.hasSuffix("/\(suite).swift") }.map {
            try String(contentsOfFile: tests + "/" + $0, encoding: .utf8)
        }
    }
}
