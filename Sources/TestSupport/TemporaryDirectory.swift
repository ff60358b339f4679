import Foundation

/// A directory of its own for a test, gone with the value.
package final class TemporaryDirectory: Sendable {
    /// Where it is.
    package let path: String

    /// Makes the directory, in the system's place for such.
    package init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "pruned-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The names of what is in it, sorted.
    package var entries: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }
}
