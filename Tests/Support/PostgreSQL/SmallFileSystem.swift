import Foundation

/// A file system of a few megabytes that only programs with ``prefix`` see, gone with this object.
final class SmallFileSystem: Sendable {
    private let holder: ChildProcess
    private let input: PipeInput

    /// Mounts it on the directory `path`, which belongs to the server's user.
    init(megabytes: Int, at path: String) throws {
        input = try PipeInput()
        let output = try UnnamedFile()
        let owner = PostgreSQLPrograms.user.map { "uid=\($0.id),gid=\($0.group)," } ?? ""
        let mount = """
            mount -t tmpfs -o \(owner)mode=0700,size=\(megabytes)M tmpfs "$1" && echo mounted && exec cat
            """
        holder = try ChildProcess(
            ["setsid", "unshare", "-m", "sh", "-c", mount, "sh", path], directory: "/",
            input: input.reading, output: output.descriptor, errors: output.descriptor)
        input.handOver()
        try wait(for: "the mount") { output.text.contains("mounted") || !holder.isRunning }
        guard holder.isRunning else {
            throw ProgramFailed("mount", output.text)
        }
    }

    var prefix: [String] { ["nsenter", "--mount", "--target", "\(holder.processID)", "--"] }
    /// Where this process finds the root of those programs.
    var root: String { "/proc/\(holder.processID)/root" }
}
