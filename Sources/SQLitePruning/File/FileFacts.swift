import Foundation

/// What the system says of a file, by its name or by a descriptor.
///
/// A database file is never opened and closed but by SQLite: closing any descriptor of it drops the locks that
/// SQLite holds in this process (sqlite.org/howtocorrupt.html, section 2.2). A descriptor of `O_PATH` has none to drop.
struct FileFacts: Equatable {
    var mode: mode_t
    var owner: uid_t
    var group: gid_t
    var links: UInt
    var identity: FileIdentity
    var size: Int64
    var modified: Int64

    /// What stands at `path`, a link itself; nil when there is nothing, and `errno` says why.
    init?(at path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// What stands by `name` in a directory, a link itself; nil when there is nothing, and `errno` says why.
    init?(_ name: String, in directory: Int32) {
        var status = stat()
        guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        self.init(status)
    }

    /// What a descriptor is of.
    init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    init(_ status: stat) {
        mode = status.st_mode
        owner = status.st_uid
        group = status.st_gid
        links = UInt(status.st_nlink)
        identity = FileIdentity(device: status.st_dev, inode: UInt64(status.st_ino))
        size = Int64(status.st_size)
        modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    }

    var isRegular: Bool { mode & S_IFMT == S_IFREG }
    var isLink: Bool { mode & S_IFMT == S_IFLNK }
    var isDirectory: Bool { mode & S_IFMT == S_IFDIR }
    var isSetGroupID: Bool { mode & S_ISGID != 0 }
    var isSticky: Bool { mode & S_ISVTX != 0 }
    /// Whether anybody at all may write; a file without any write bit is protected even from root.
    var isWriteProtected: Bool { mode & 0o222 == 0 }
    var isGroupWritable: Bool { mode & 0o060 == 0o060 }
    /// Whether others than the owner may write. With an access list the group's bits are the most that it gives.
    var isWritableByOthers: Bool { mode & 0o022 != 0 }
}

/// Which file it is, by whatever name.
struct FileIdentity: Hashable {
    let device: dev_t
    let inode: UInt64
}
