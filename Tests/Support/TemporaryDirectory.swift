import Foundation

/// A directory for one test, removed with the object.
package final class TemporaryDirectory: Sendable {
    package let path: String

    /// Creates the directory in the system's temporary directory.
    package init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "pruned-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The sorted names of the entries.
    package var entries: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }
}
