import Foundation
import RealPrograms
import TestSupport

/// Other programs, run to their end.
enum Program {
    /// What it answered with, and wrote.
    struct Result {
        let status: Int32?
        let output: String
    }

    /// Runs a program with nothing to read.
    static func run(_ line: [String], seconds: Double = 240) throws -> Result {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/output"
        let output = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        let input = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { for descriptor in [output, input] { close(descriptor) } }
        let status = try ChildProcess(line, input: input, output: output, errors: output).wait(
            seconds: seconds)
        return Result(status: status, output: try String(contentsOfFile: path, encoding: .utf8))
    }

    /// SQL on a store, by the `sqlite3` program; throws when that fails.
    static func sqlite(_ path: String, _ sql: String, through prefix: [String] = []) throws {
        let result = try run(prefix + ["sqlite3", "-bail", "-cmd", ".timeout 5000", path, sql])
        guard result.status == 0 else { throw Failure(output: result.output) }
    }

    struct Failure: Error { let output: String }

    /// The service's program, beside that of these tests.
    static var pruned: String {
        get throws { (try ReaderProcess.executable as NSString).deletingLastPathComponent + "/pruned" }
    }
}
