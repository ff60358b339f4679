import FoundationEssentials
import Glibc

/// What a person can do about an error that a system call left in `errno`, where nothing more is known of it.
enum SystemHint {
    static func text(for code: Int32, at place: String) -> String {
        switch code {
        case EACCES, EPERM: AccessHint.text(for: place)
        case ENOSPC, EDQUOT: "make room on the file system; the next run goes on"
        case EROFS:
            "the file system is read-only; in the service's sandbox, ReadWritePaths= opens a directory"
        case ENOENT: "check the path, and that the directory exists"
        case EISDIR: "it is a directory: move it away"
        case ENOTDIR: "a part of the path is not a directory: move that away"
        case ELOOP: "it is a symbolic link: move it away, or replace it with the file"
        case EAGAIN: "another process has locked it; try again later"
        default: "check the path, its file system, and the kernel log (dmesg)"
        }
    }
}
