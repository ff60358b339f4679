import Foundation

/// A directory for a server and its socket, gone with this object, or with this process however that ends.
///
/// Not in `$TMPDIR`, which may be long and closed to the server's user: a socket's path has at most 107 bytes.
final class ServerDirectory: Sendable {
    let path: String
    /// Where large files go.
    let data: String
    private let input: PipeInput
    private let keeper: ChildProcess

    /// Makes it, with `kind` in its name; `data` below `parent`, which the server's user must be able to reach, or in the
    /// directory itself.
    init(dataIn parent: String? = nil, kind: String = "pg") throws {
        var name = Array("/tmp/pruned-\(kind)-XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else { throw POSIXError(.EACCES) }
        path = name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        data = parent.map { [path] in $0 + path.dropFirst("/tmp".count) } ?? path + "/data"
        chmod(path, 0o755)
        mkdir(data, 0o700)
        if let user = PostgreSQLPrograms.user {
            for path in [path, data] { chown(path, user.id, user.group) }
        }
        input = try PipeInput()
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        keeper = try ChildProcess(
            ["setsid", "sh", "-c", Self.keeping, "sh", path, data], directory: "/", input: input.reading,
            output: null, errors: null)
        input.handOver()
    }

    deinit {
        input.end()
        _ = keeper.wait(seconds: 30)
    }

    /// Waits for the end of its input, ends the process that it was told of last, and removes the directories.
    private static let keeping = """
        pid=; while read -r line; do pid=$line; done
        if [ -n "$pid" ]; then
            kill -QUIT "$pid"; n=0
            while kill -0 "$pid" && [ $n -lt 500 ]; do sleep 0.01; n=$((n + 1)); done
            kill -KILL "$pid"
        fi
        rm -rf -- "$@"
        """

    /// The process that must not outlive this one; nil: there is none.
    func guardAgainstLeaving(_ process: pid_t?) throws {
        try input.write((process.map { "\($0)" } ?? "") + "\n")
    }
}
