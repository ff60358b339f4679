import Glibc

/// Reads configuration files, and only regular files.
enum FileReading {
    /// The size limit of a file. A policy of a thousand rules needs a quarter of this.
    static let largestFile = 1_048_576

    /// The text of the regular file at `path`. Only users that `trust` accepts may be able to write it.
    static func text(at path: String, trust: FileTrust) throws(PolicyFileError) -> String {
        let bytes = try bytes(at: path, trust)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let first = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
            throw PolicyFileError(
                file: path, place: .line(first + 1, column: nil), reason: "is not valid UTF-8",
                hint: "save the file as UTF-8 text")
        }
        return text
    }

    private static func bytes(at path: String, _ trust: FileTrust) throws(PolicyFileError) -> [UInt8] {
        // Without O_NONBLOCK, a pipe that nobody writes to would hang the service.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unreadable(path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .unreadable(path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            let isDirectory = status.st_mode & S_IFMT == S_IFDIR
            throw PolicyFileError(
                file: path, place: .file, reason: isDirectory ? "is a directory" : "is not a regular file",
                hint: DropInDirectory.contains(path)
                    ? "only regular files are read there: move it away, or let its name not end in .toml"
                    : "name the configuration file itself")
        }
        try trust.check(status, path)
        var bytes = [UInt8](repeating: 0, count: largestFile + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
            }
            guard got >= 0 else {
                guard errno == EINTR else { throw .unreadable(path, errno) }
                continue
            }
            guard got > 0 else { return Array(bytes.prefix(count)) }
            count += got
        }
        throw PolicyFileError(
            file: path, place: .file, reason: "is larger than \(largestFile / 1_048_576) MiB",
            hint: DropInDirectory.contains(path)
                ? "move it away, or shorten it" : "name the configuration file itself")
    }
}

extension PolicyFileError {
    /// The error for the `errno` of a failed system call.
    static func unreadable(_ path: String, _ number: Int32) -> PolicyFileError {
        let hint =
            switch number {
            case ENOENT where isLink(path), ELOOP:
                "it is a link that leads nowhere: remove it, or bring back what it led to"
            case ENOENT, ENOTDIR: "create it, or do without a file to use the built-in policy"
            case EACCES, EPERM: "let the user that pruned runs as read the file and enter its directories"
            case ENOMEM: "free memory on the machine"
            default: "check the path and the file system it is on"
            }
        return PolicyFileError(
            file: path, place: .file, reason: "cannot be read: \(String(cString: strerror(number)))",
            hint: hint, isOutOfMemory: number == ENOMEM)
    }

    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }
}
