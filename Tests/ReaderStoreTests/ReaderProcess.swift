import Foundation

/// The `reader` program, run as a user runs it.
struct ReaderProcess {
    struct Result {
        let exitStatus: Int32
        let output: String
        let errors: String
    }

    /// The program that was built with these tests.
    static var executable: String {
        get throws {
            let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return (tests as NSString).deletingLastPathComponent + "/reader"
        }
    }

    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()

    /// Starts it under a umask, and through `prefix` (a program that becomes it) if there is one.
    init(
        _ arguments: [String], executable: String? = nil, umask: String = "022", prefix: [String] = [],
        environment: [String: String] = [:]
    ) throws {
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments =
            ["-c", "umask \(umask); exec \"$@\"", "sh"] + prefix + [try executable ?? Self.executable]
            + arguments
        process.environment = environment.merging(["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]) { mine, _ in mine
        }
        process.standardOutput = output
        process.standardError = errors
        try process.run()
    }

    /// Waits for its end. It writes less than a pipe holds.
    func result() throws -> Result {
        process.waitUntilExit()
        return Result(
            exitStatus: process.terminationReason == .exit ? process.terminationStatus : -1,
            output: String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self),
            errors: String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self))
    }
}
