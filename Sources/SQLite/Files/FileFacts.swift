import Glibc

/// What the system reports about a file, by its name or by a descriptor.
///
/// Only SQLite may open and close a database file. Closing any descriptor of the file drops the locks that SQLite has
/// on it in this process (sqlite.org/howtocorrupt.html, section 2.2). Closing a descriptor of `O_PATH` drops none.
package struct FileFacts: Equatable {
    package var mode: mode_t
    package var owner: uid_t
    package var group: gid_t
    package var links: UInt
    package var identity: FileIdentity
    package var size: Int64
    package var modified: Int64

    /// The file at `path`, or a link itself. Nil if there is none; `errno` has the cause.
    package init?(at path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The file `name` in a directory, or a link itself. Nil if there is none; `errno` has the cause.
    package init?(_ name: String, in directory: Int32) {
        var status = stat()
        guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        self.init(status)
    }

    /// The file of a descriptor.
    package init?(of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    package init(_ status: stat) {
        mode = status.st_mode
        owner = status.st_uid
        group = status.st_gid
        links = UInt(status.st_nlink)
        identity = FileIdentity(device: status.st_dev, inode: UInt64(status.st_ino))
        size = Int64(status.st_size)
        modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    }

    package var isRegular: Bool { mode & S_IFMT == S_IFREG }
    package var isLink: Bool { mode & S_IFMT == S_IFLNK }
    package var isDirectory: Bool { mode & S_IFMT == S_IFDIR }
    package var isSetGroupID: Bool { mode & S_ISGID != 0 }
    package var isSticky: Bool { mode & S_ISVTX != 0 }
    /// Whether the file has no write bit at all. pruned then does not write to it, even as root.
    package var isWriteProtected: Bool { mode & 0o222 == 0 }
    package var isGroupWritable: Bool { mode & 0o060 == 0o060 }
    /// Whether users other than the owner may write. With an access control list, the group's bits are the most that it
    /// grants.
    package var isWritableByOthers: Bool { mode & 0o022 != 0 }
    /// Whether users other than the owner may do anything with it.
    package var isOpenToOthers: Bool { mode & 0o077 != 0 }
}

/// Identifies a file, whatever its name is.
package struct FileIdentity: Hashable {
    package let device: dev_t
    package let inode: UInt64
}
