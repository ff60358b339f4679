import Foundation
import PolicyFile
import Retention
import Testing

/// The configuration that is installed.
struct ExampleFileTests {
    private static let path = URL(filePath: #filePath).appending(path: "../../../systemd/pruned.toml")

    @Test("the installed configuration says what the built-in policy says")
    func meaning() throws {
        let policy = try ConfigurationFiles(Self.path.standardized.path).read(systemTimeZone: .gmt).policy
        #expect(try policy == .builtIn(timeZone: .gmt))
    }

    @Test("the installed configuration is what `pruned check --defaults` prints")
    func text() throws {
        let text = try String(contentsOf: Self.path.standardized, encoding: .utf8)
        #expect(try text == PolicyFile.render(.builtIn(timeZone: .gmt), systemTimeZone: .gmt))
    }
}
