import TestSupport
import Foundation

/// An `/etc` that only the programs started through ``prefix`` see, with nothing in it but `/etc/pruned/conf.d`; gone with
/// the value. Takes root.
final class OwnEtc {
    private let holder: RunningProgram

    init() throws {
        let mount =
            "mount -t tmpfs tmpfs /etc && mkdir -p /etc/pruned/conf.d && echo mounted && exec sleep 600"
        holder = try Program(path: "unshare", arguments: ["-m", "sh", "-c", mount]).start()
        try eventually("the mount") { holder.output.contains("mounted") || !holder.isRunning }
    }

    /// What makes a program run where it is mounted, and read it.
    var prefix: [String] {
        [
            "nsenter", "--mount", "--target", "\(holder.processID)", "--", "env", "-u",
            "CONFIGURATION_DIRECTORY",
        ]
    }

    /// Writes `/etc/pruned/NAME`.
    func write(_ name: String, _ text: String, mode: mode_t = 0o644) throws {
        try shell(
            "printf %s \"$2\" > /etc/pruned/\"$1\"; chmod $3 /etc/pruned/\"$1\"", name, text,
            String(mode, radix: 8))
    }

    func remove(_ name: String) throws {
        try shell("rm /etc/pruned/\"$1\"", name)
    }

    private func shell(_ command: String, _ arguments: String...) throws {
        try Program(path: "sh", arguments: ["-c", command, "sh"] + arguments, prefix: prefix).run().checked()
    }
}
