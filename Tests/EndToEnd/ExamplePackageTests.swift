import Foundation
import Testing

/// The example in the library's README, as its reader would try it.
struct ExamplePackageTests {
    private static let checkout = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    // Building the library once more takes a minute or two.
    @Test("the library's example builds in a package of its own, and prints what its README says")
    func example() throws {
        let path = "Sources/ReaderStore/README.md"
        let readme = try String(contentsOf: Self.checkout.appending(path: path), encoding: .utf8)
        let source = try #require(block("swift", of: readme))
        let printed = try #require(block("text", of: readme))

        let package = try ExamplePackage(source: source, checkout: Self.checkout)
        let state = try StateDirectory()
        let ended = try package.run(state.path)
        #expect(ended.status == 0 && ended.errors.isEmpty, "\(ended)")
        #expect(ended.output == printed)
        // The app on the command line and the service work on what it made.
        #expect(try state.reader("unread", "--json").run().objects().count == 2)
        #expect(try state.runNow.run().checked().report().outcome == "done")
    }

    /// The first fenced block in this language.
    private func block(_ language: String, of text: String) -> String? {
        guard let start = text.range(of: "```\(language)\n"),
            let end = text.range(of: "```", range: start.upperBound..<text.endIndex)
        else { return nil }
        return String(text[start.upperBound..<end.lowerBound])
    }
}
