import Foundation
import Testing

/// A person who calls the program without options, where the system's service has its state in `/var/lib/pruned`.
@Suite(.serialized, .root) struct SystemStateTests {
    private let state: StateDirectory
    private let holder: RunningProgram

    /// A `/var/lib` that only the programs started in it see.
    init() throws {
        state = try StateDirectory()
        let mount = "mount -t tmpfs tmpfs /var/lib && mkdir /var/lib/pruned && echo mounted && exec sleep 600"
        holder = try Program(path: "unshare", arguments: ["-m", "sh", "-c", mount]).start()
        let holder = holder
        try eventually("the mount") { holder.output.contains("mounted") || !holder.isRunning }
    }

    private func called(_ arguments: [String], in prefix: [String]? = nil) throws -> EndedProgram {
        var program = Program.pruned
        program.arguments = arguments
        program = try AnotherUser.stranger.program(program, in: state.sandbox)
        program.environment["HOME"] = state.sandbox.path
        let inside = ["nsenter", "--mount", "--target", "\(holder.processID)", "--"]
        program.prefix = (prefix ?? inside) + program.prefix
        return try program.run()
    }

    private static let own = "/.local/state/pruned"
    private var remark: String {
        "pruned: you have no state directory \(state.sandbox.path)\(Self.own); that of the system service is"
            + " /var/lib/pruned\n        `sudo pruned "
    }

    @Test(
        "is told where that is, and how to look at it",
        arguments: [(["status"], 0), (["history"], 0), (["confirm", "items"], 74)] as [([String], Int32)])
    func told(arguments: [String], status: Int32) throws {
        let ended = try called(arguments)
        #expect(ended.status == status, "\(ended)")
        let command = arguments.joined(separator: " ")
        #expect(ended.errors.hasPrefix("\(remark)\(command)` looks there\n"), "\(ended)")
    }

    @Test("is told nothing who names a directory, or has one, or where the system has none")
    func silent() throws {
        _ = try state.sandbox.makeDirectory("state")
        let named = try called(["status", "--state-dir", state.path]).checked()
        #expect(named.errors == "", "\(named)")
        let elsewhere = try called(["status"], in: []).checked()
        if access("/var/lib/pruned", F_OK) != 0 { #expect(elsewhere.errors == "", "\(elsewhere)") }
        _ = try state.sandbox.makeDirectory(String(Self.own.dropFirst()))
        let own = try called(["status"]).checked()
        #expect(own.errors == "", "\(own)")
    }
}
