import TestSupport
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
        "pruned: nothing is pruned for you, user 4713: there is no \(state.sandbox.path)\(Self.own)"
            + "\n        for the system's service: `sudo pruned "
    }

    @Test(
        "is told where that is, and how to look at it",
        arguments: [(["status"], 78), (["history"], 0), (["confirm", "items"], 78)] as [([String], Int32)])
    func told(arguments: [String], status: Int32) throws {
        let ended = try called(arguments)
        #expect(ended.status == status, "\(ended)")
        let command = arguments.joined(separator: " ")
        #expect(ended.errors.hasPrefix("\(remark)\(command)`\n"), "\(ended)")
    }

    @Test("is told nothing who names a directory, or has one")
    func silent() throws {
        _ = try state.sandbox.makeDirectory("state")
        let named = try called(["status", "--state-dir", state.path]).checked()
        #expect(named.errors == "", "\(named)")
        let own = try state.sandbox.makeDirectory(String(Self.own.dropFirst()))
        try AnotherUser.stranger.own(own, mode: 0o700)
        let shown = try called(["status"]).checked()
        #expect(shown.errors == "", "\(shown)")
    }
}
