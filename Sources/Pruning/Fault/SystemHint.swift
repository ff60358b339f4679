import Foundation

/// What a person can do about an error that a system call left in `errno`, where nothing more is known of it.
enum SystemHint {
    static func text(for code: Int32, at place: String) -> String {
        switch code {
        case EACCES, EPERM: AccessHint.text(for: place)
        case ENOSPC, EDQUOT: "make room on the file system; the next run goes on"
        case EROFS:
            "the file system is read-only; in the service's sandbox, ReadWritePaths= opens a directory"
        case ENOENT: "look at the path, and whether the directory is there"
        case EISDIR: "a directory stands there: move it away"
        case ENOTDIR: "something that is no directory stands in the path: move it away"
        case ELOOP: "a symbolic link stands there: move it away, or put the file itself in its place"
        case EAGAIN: "another process has it locked; try again when that is done"
        default: "look at the path, the file system it is on, and the kernel's log (dmesg)"
        }
    }
}
