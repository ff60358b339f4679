import Foundation

/// A directory of its own for a test, gone with the value.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(
            "readerstore-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Where a store would stand.
    var store: String { path + "/reader.sqlite" }
    /// Where the default store stands if this is a state directory.
    var defaultStore: String { path + "/shared/reader.sqlite" }

    /// Sets owner, group and mode, in the order in which the system keeps the setgid bit.
    func set(owner: uid_t = geteuid(), group: gid_t = getegid(), mode: mode_t) throws {
        guard chown(path, owner, group) == 0, chmod(path, mode) == 0 else {
            throw POSIXError(POSIXError.Code(rawValue: errno) ?? .EIO)
        }
    }
}

/// What `lstat` says; nil when there is no such file.
func status(of path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
}

/// The permission bits, setgid and its like included.
func mode(of path: String) -> mode_t? {
    status(of: path).map { $0.st_mode & 0o7777 }
}
