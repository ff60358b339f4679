import TestSupport
import Foundation
import Testing

/// A wall clock for one program, which can be set while that runs. Its monotonic clock stays the system's.
struct FakeClock {
    private let sandbox: Sandbox

    /// Where Debian puts the library, whatever the architecture.
    static let library: String? = {
        let found = try? Program(path: "sh", arguments: ["-c", "ls /usr/lib/*/faketime/libfaketimeMT.so.1"])
            .run()
        return found?.status == 0 ? found?.output.trimmingCharacters(in: .newlines) : nil
    }()

    /// A clock at `offset` from the system's, `-3d`, or at an instant, `@2038-01-19 03:14:00`.
    init(offset: String, in sandbox: Sandbox) throws {
        self.sandbox = sandbox
        Self.removeLeftovers()
        try set(offset)
    }

    /// What the library shares between processes is named after one, stays for ever, and is in the way of the next that has
    /// that number: it would then be a later program of whose environment the library changes.
    private static func removeLeftovers() {
        let directory = "/dev/shm/"
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
            guard name.contains("faketime_s"),
                let number = name.split(separator: "_").last.flatMap({ pid_t($0) }),
                kill(number, 0) != 0, errno == ESRCH
            else { continue }
            unlink(directory + name)
        }
    }

    func set(_ offset: String) throws {
        try sandbox.write("clock", offset + "\n")
    }

    /// The program, living by this clock.
    ///
    /// By way of a program that becomes it: the library changes the environment of the first one that loads it, where a
    /// Swift program looks for its arguments.
    func applied(to program: Program) -> Program {
        var program = program
        program.prefix = ["env"] + program.prefix
        program.environment.merge(environment) { $1 }
        return program
    }

    private var environment: [String: String] {
        [
            "LD_PRELOAD": Self.library ?? "", "FAKETIME_TIMESTAMP_FILE": sandbox.path + "/clock",
            "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        ]
    }
}

extension Trait where Self == ConditionTrait {
    /// The test needs faketime.
    static var fakingTime: Self { .enabled(if: FakeClock.library != nil, "needs faketime") }
}
