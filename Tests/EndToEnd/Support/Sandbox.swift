import Foundation

/// A directory of a test's own, gone with the value.
final class Sandbox: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/e2e-\(UUID().uuidString.prefix(13))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// A new file's path, with `text` in it.
    @discardableResult
    func write(_ name: String, _ text: String) throws -> String {
        let file = path + "/" + name
        try Data(text.utf8).write(to: URL(filePath: file))
        return file
    }

    /// A new, empty file, open for writing.
    func newFile(_ name: String) throws -> FileHandle {
        try FileHandle(forWritingTo: URL(filePath: write(name, "")))
    }

    func text(_ name: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path + "/" + name) ?? Data(), as: UTF8.self)
    }

    /// Puts a schema, as `check --schema` prints it, in the place of the first one of a preset.
    func takeSchema(_ printed: String, intoPreset name: String) throws {
        let file = "presets/\(name).toml"
        let old = /tables = """\n.*?"""/.dotMatchesNewlines()
        let new = text(file).replacing(old, maxReplacements: 1) { _ in "tables = \"\"\"\n\(printed)\"\"\"" }
        _ = try write(file, new)
    }

    func makeDirectory(_ name: String) throws -> String {
        let directory = path + "/" + name
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        return directory
    }
}
