import TestSupport
import Foundation
import Testing

/// A fault that `strace` injects into the system calls of a program.
enum Fault {
    /// What `strace -e inject=` takes: `pwrite64:error=ENOSPC:when=3`.
    static func prefix(_ injection: String, log: String = "/dev/null") -> [String] {
        let call = injection.prefix { $0 != ":" }
        // -D: the program, not strace, is the process that was started.
        return ["strace", "-D", "-f", "-qq", "-o", log, "-e", "trace=\(call)", "-e", "inject=\(injection)"]
    }

    /// How many calls of `name` a run on `state` makes, in the thread with the most of them: faults are counted for
    /// each thread.
    static func calls(of name: String, inRunOn state: StateDirectory, plan: String? = nil) throws -> Int {
        let log = try state.sandbox.write("calls", "")
        var program = plan.map(state.runNow(plan:)) ?? state.runNow
        program.prefix = ["strace", "-f", "-qq", "-o", log, "-e", "trace=\(name)"]
        try program.run().checked()
        let threads = state.sandbox.text("calls").split(separator: "\n").filter { $0.contains("\(name)(") }
            .map { $0.prefix { $0 != " " } }
        return Dictionary(grouping: threads) { $0 }.values.map(\.count).max() ?? 0
    }

    /// Whether programs can be traced here.
    static let isPossible: Bool = {
        let traced = try? Program(path: "strace", arguments: ["-qq", "-o", "/dev/null", "true"]).run()
        return traced?.status == 0
    }()
}

extension Trait where Self == ConditionTrait {
    /// The test needs strace, and leave to trace.
    static var tracing: Self { .enabled(if: Fault.isPossible, "needs strace, and leave to trace") }
    /// The test needs root.
    static var root: Self { .enabled(if: geteuid() == 0, "needs root") }
}
