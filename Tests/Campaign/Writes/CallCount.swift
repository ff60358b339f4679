import Foundation

/// Whether the preloaded library counts each call that `strace` sees.
struct CallCount {
    let template: Template
    /// Whether the machine is quiet enough to judge how many calls there are.
    let isTimed: Bool
    let directory: String

    /// System calls that change, sync or lock files, whichever of them a C library knows.
    private static let calls = [
        "write", "pwrite64", "writev", "pwritev", "pwritev2", "sendfile", "copy_file_range", "splice",
        "ftruncate", "truncate", "fallocate", "fsync", "fdatasync", "sync_file_range", "msync", "syncfs",
        "unlink", "unlinkat", "rmdir", "rename", "renameat", "renameat2", "link", "linkat", "symlink",
        "symlinkat", "mkdir", "mkdirat", "mknod", "mknodat", "open", "openat", "openat2", "creat", "chmod",
        "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat", "setxattr", "fsetxattr",
        "lsetxattr", "removexattr", "fremovexattr", "utimensat", "utime", "utimes", "flock", "fcntl", "mmap",
    ]

    func attempt() throws -> Attempt {
        try template.copy(to: directory)
        let (log, trace) = (directory + "/counted", directory + "/trace")
        let variables = template.commands.environment(FaultPoint(kind: .calls, number: 0), log: log)
        let ended = try spawn(
            [
                "strace", "-f", "-qq", "-y", "-o", trace, "-e",
                "trace=" + Self.calls.map { "?" + $0 }.joined(separator: ","),
            ]
                + variables.flatMap { ["-E", "\($0.key)=\($0.value)"] }
                + template.commands.line(template.operation.command, in: directory),
            in: directory)
        guard ended.status == template.operation.ends else {
            throw TrialError(text: "under strace: \(ended)")
        }
        let counted = tally(
            try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map {
                String($0.prefix { $0 != " " })
            })
        let seen = tally(
            try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").compactMap(call))
        let count = try count()
        var attempt = Attempt(points: 0)
        attempt.remark = "\(template.operation.name): \(count) calls"
        if counted != seen {
            let names = Set(counted.keys).union(seen.keys).sorted().filter { counted[$0] != seen[$0] }
            let texts = names.map { "\($0): \(counted[$0] ?? 0) counted, \(seen[$0] ?? 0) seen by strace" }
            attempt.findings.append(texts.joined(separator: "; "))
        }
        if isTimed, count > template.operation.most.calls {
            attempt.findings.append("\(count) calls, but only \(template.operation.most.calls) are tried")
        }
        return attempt
    }

    /// How many calls there are without strace, which slows the program down, so that it makes smaller batches.
    private func count() throws -> Int {
        let (place, log) = (directory + "/again", directory + "/all")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        try template.copy(to: place)
        let ended = try template.commands.attack(FaultPoint(kind: .calls, number: 0), log: log, in: place)
        guard ended.status == template.operation.ends else { throw TrialError(text: "counted: \(ended)") }
        return try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").count
    }

    private func tally(_ calls: [String]) -> [String: Int] {
        Dictionary(calls.map { ($0, 1) }, uniquingKeysWith: +)
    }

    /// The call that a line of the trace begins with, if it concerns a file.
    private func call(_ line: Substring) -> String? {
        guard let match = line.firstMatch(of: /^\d+ +(\w+)\((.*)/) else { return nil }
        let (name, rest) = (String(match.1), match.2)
        let isCreating = rest.contains("O_CREAT") || rest.contains("O_TRUNC")
        if rest.contains("/counted") { return nil }
        switch name {
        case "open", "openat", "openat2": return isCreating ? name : nil
        case "fcntl":
            return rest.contains("F_SETLK") || rest.contains("F_OFD_SETLK") ? name : nil
        case "mmap": return rest.contains("MAP_SHARED") && rest.contains("</") ? name : nil
        case "write", "pwrite64", "writev", "pwritev", "pwritev2", "ftruncate", "fallocate", "fsync",
            "fdatasync",
            "fchmod", "fchown", "fsetxattr", "flock":
            // A standard stream is none, nor is what has no path.
            return rest.contains(/^([3-9]|\d\d+)<\//) ? name : nil
        default: return name
        }
    }
}
