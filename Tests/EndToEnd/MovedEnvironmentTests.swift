import TestSupport
import Foundation
import Testing

/// Swift finds the arguments beside the environment: a preloaded library that sets a variable moves that, and they are
/// gone. None would mean to serve, and to delete.
@Suite struct MovedEnvironmentTests {
    @Test("the command line is then read from the kernel")
    func arguments() throws {
        let state = try StateDirectory.sampled(records: 100)
        let ended = try moved(state.pruned("status", "--json")).run()
        #expect(ended.status == 0, "\(ended)")
        #expect(ended.output.hasPrefix("{"), "\(ended)")
    }

    @Test("and where that has it not either, nothing is deleted", .root)
    func noArguments() throws {
        let state = try StateDirectory.sampled(records: 100)
        let before = FileTree(state.sandbox.path)
        var program = try moved(state.pruned("status"))
        program.prefix =
            ["unshare", "-m", "sh", "-c", "mount -t tmpfs tmpfs /proc && exec \"$@\"", "sh"] + program.prefix
        let ended = try program.run()
        #expect(ended.status == 74, "\(ended)")
        #expect(ended.errors.contains("cannot read the command line"), "\(ended)")
        #expect(FileTree(state.sandbox.path) == before)
    }

    /// The program with a library that moves its environment, and nobody else's.
    private func moved(_ program: Program) throws -> Program {
        let library = try Sandbox.moving.get()
        var program = program
        program.prefix = ["env", "LD_PRELOAD=\(library.path)/moving.so"]
        return program
    }
}

extension Sandbox {
    /// Where the library is, `moving.so`: built once, by the compiler that Swift brings.
    fileprivate static let moving = Result {
        let sandbox = try Sandbox()
        let source = try sandbox.write(
            "moving.c",
            """
            #include <stdlib.h>
            __attribute__((constructor)) static void move(void) { setenv("MOVED", "1", 1); }
            """)
        let options = ["-shared", "-fPIC", "-o", sandbox.path + "/moving.so", source]
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        try Program(path: "clang", arguments: options, environment: ["PATH": path]).run().checked()
        return sandbox
    }
}
