import TestSupport
import Foundation

/// A file system of a few megabytes that only the programs started through ``prefix`` see; gone with the value.
final class SmallDisk {
    let path: String
    private let holder: RunningProgram
    private let sandbox: Sandbox

    init(megabytes: Int) throws {
        sandbox = try Sandbox()
        path = try sandbox.makeDirectory("disk")
        let mount = "mount -t tmpfs -o size=\(megabytes)M tmpfs \"$1\" && echo mounted && exec sleep 600"
        holder = try Program(path: "unshare", arguments: ["-m", "sh", "-c", mount, "sh", path]).start()
        try eventually("the mount") { holder.output.contains("mounted") || !holder.isRunning }
    }

    /// What makes a program run where the disk is mounted.
    var prefix: [String] { ["nsenter", "--mount", "--target", "\(holder.processID)", "--"] }

    /// Runs a shell command there.
    @discardableResult
    func shell(_ command: String) throws -> String {
        try Program(path: "sh", arguments: ["-c", "cd \"$1\"; " + command, "sh", path], prefix: prefix).run()
            .checked().output
    }

    /// Leaves no more than `kilobytes` free.
    func fill(leaving kilobytes: Int) throws {
        try shell("head -c $(( ($(stat -f -c '%a*%S' .)) - \(kilobytes) * 1024 )) /dev/zero > filler")
    }
}
