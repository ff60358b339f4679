import FoundationEssentials
import Glibc
import SQLite

/// Whether a file is itself a mount point, as `docker run --volume FILE:FILE` makes it. The app then knows the file by
/// another name and has its log and shared memory beside that name: one database has two logs and no common locks.
enum MountedFile {
    /// Whether the file `name` in a directory is a mount point. False if the kernel does not tell.
    static func isMounted(_ name: String, in directory: Int32) -> Bool {
        guard let (file, around) = mounts(name, directory) else { return false }
        return file != around
    }

    /// The directory of the mounted file, by its path within its file system; nil if the kernel does not tell.
    static func source(of name: String, in directory: Int32) -> String? {
        guard let (mount, _) = mounts(name, directory),
            let list = FileManager.default.contents(atPath: "/proc/self/mountinfo")
        else { return nil }
        // "36 35 98:0 /srv/app.db /x.db rw,noatime shared:1 - ext4 /dev/sda1 rw"; proc_pid_mountinfo(5).
        for line in String(decoding: list, as: UTF8.self).split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 4, fields[0] == mount else { continue }
            let path = String(fields[3]).replacing("\\040", with: " ")
            return path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) }
        }
        return nil
    }

    private static func mounts(
        _ name: String, _ directory: Int32
    ) -> (file: Substring, around: Substring)? {
        let file = openat(directory, name, CheckedOpen.look)
        guard file >= 0 else { return nil }
        defer { close(file) }
        guard let inner = mount(of: file), let outer = mount(of: directory) else { return nil }
        return (inner, outer)
    }

    /// The mount of an open file; see proc_pid_fdinfo(5).
    private static func mount(of descriptor: Int32) -> Substring? {
        guard let facts = FileManager.default.contents(atPath: "/proc/self/fdinfo/\(descriptor)") else {
            return nil
        }
        return String(decoding: facts, as: UTF8.self).split(separator: "\n")
            .first { $0.hasPrefix("mnt_id:") }?.split(separator: "\t").last
    }
}
