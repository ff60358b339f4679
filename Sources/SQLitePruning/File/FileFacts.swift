import Foundation

/// What `lstat` says of a file.
///
/// A database file is never opened and closed but by SQLite: closing any descriptor of it drops the locks that
/// SQLite holds in this process (sqlite.org/howtocorrupt.html, section 2.2).
struct FileFacts: Equatable {
    var mode: mode_t
    var owner: uid_t
    var group: gid_t
    var links: UInt
    var device: dev_t
    var inode: UInt64
    var size: Int64
    var modified: Int64

    /// Nil when there is no such file.
    init?(at path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        mode = status.st_mode
        owner = status.st_uid
        group = status.st_gid
        links = UInt(status.st_nlink)
        device = status.st_dev
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    }

    var isRegular: Bool { mode & S_IFMT == S_IFREG }
    var isLink: Bool { mode & S_IFMT == S_IFLNK }
    var isSetGroupID: Bool { mode & S_ISGID != 0 }
    /// Whether anybody at all may write; a file without any write bit is protected even from root.
    var isWriteProtected: Bool { mode & 0o222 == 0 }
    var isGroupWritable: Bool { mode & 0o060 == 0o060 }
}
