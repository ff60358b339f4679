import Foundation
import PolicyFile
import TestSupport

/// A directory with a main file, and files over it in `conf.d`.
final class ConfigurationDirectory {
    let path: String

    /// `main`: the text of the main file; nil: there is none.
    init(main: String? = file(rule: enough)) throws {
        path = FileManager.default.temporaryDirectory.path + "/pruned-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        if let main { try write("pruned.toml", main) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var main: String { path + "/pruned.toml" }
    var dropIns: String { path + "/conf.d" }

    @discardableResult
    func write(_ name: String, _ text: String) throws -> String {
        let file = path + "/" + name
        try Data(text.utf8).write(to: URL(filePath: file))
        chmod(file, 0o644)
        return file
    }

    @discardableResult
    func dropIn(_ name: String, _ text: String) throws -> String {
        try write(in: "conf.d", name, text)
    }

    @discardableResult
    func preset(_ name: String, _ text: String) throws -> String {
        try write(in: "presets", name + ".toml", text)
    }

    private func write(in directory: String, _ name: String, _ text: String) throws -> String {
        let place = path + "/" + directory
        if access(place, F_OK) != 0 {
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
            chmod(place, 0o755)
        }
        return try write(directory + "/" + name, text)
    }

    func read(user: uid_t = geteuid()) throws(PolicyFileError) -> Configuration {
        try ConfigurationFiles(main, exists: access(main, F_OK) == 0).read(systemTimeZone: .gmt, user: user)
    }
}
