import Foundation
import TestSupport
import Testing

/// The READMEs name what exists, and all of it.
struct ReadmeTests {
    private static let checkout = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: checkout.appending(path: path), encoding: .utf8)
    }

    @Test("each suite stands once in the table of the tests, and no other name does")
    func suites() throws {
        let named = try Self.text("Tests/README.md").matches(of: /\n\| `(\w+\/\w+)` \|/).map {
            String($0.output.1)
        }
        let files = try FileManager.default.subpathsOfDirectory(
            atPath: Self.checkout.appending(path: "Tests").path
        ).filter { $0.hasSuffix("Tests.swift") }.map { $0.split(separator: "/") }
        let suites = files.map { "\($0[0])/\($0[$0.count - 1].dropLast(".swift".count))" }
        #expect(suites.count > 150)
        #expect(named.count == Set(named).count, "a suite stands there twice")
        #expect(Set(suites).subtracting(named) == [], "not in the table")
        #expect(Set(named).subtracting(suites) == [], "no such suite")
    }

    @Test("the README names each folder of the sources, and no other; it fits on 200 lines")
    func sourceTree() throws {
        let readme = try Self.text("README.md")
        #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 201)
        let start = try #require(readme.range(of: "\n    Sources/\n"))
        let end = try #require(readme.range(of: "\n    Tests/", range: start.upperBound..<readme.endIndex))
        let named = readme[start.upperBound..<end.lowerBound].matches(of: /\b(\w+)\//).map {
            String($0.output.1)
        }
        let folders = try FileManager.default.contentsOfDirectory(
            atPath: Self.checkout.appending(path: "Sources").path)
        #expect(Set(named) == Set(folders))
    }

    @Test("each link between the documents leads to a file")
    func links() throws {
        var links = 0
        for path in [
            "README.md", "Tests/README.md", "Sources/ReaderStore/README.md", "Sources/reader/README.md",
        ] {
            let folder = Self.checkout.appending(path: path).deletingLastPathComponent()
            for link in try Self.text(path).matches(of: /\]\(([^):#]+)\)/).map(\.output.1) {
                links += 1
                let target = folder.appending(path: String(link)).standardized.path
                #expect(FileManager.default.fileExists(atPath: target), "\(path): \(link)")
            }
        }
        #expect(links > 3)
    }

    @Test("each kind of entry in the history stands in the manual page, and no other")
    func historyKinds() throws {
        let source = try Self.text("Sources/Pruning/History/HistoryEntry.swift")
        let kinds = try #require(source.firstMatch(of: /enum Kind: String[^{]*\{([^}]*)\}/)?.output.1)
            .matches(of: /case ([a-z, ]+)/).flatMap { $0.output.1.split(separator: ", ").map(String.init) }
        #expect(kinds.count > 5)
        #expect(Set(try ManualPage("pruned.1").items("JSON HISTORY").flatMap(\.names)) == Set(kinds))
    }
}
