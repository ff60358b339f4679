import CTracing
import Foundation
import TestSupport

/// A program that stops at each file operation. To be used on one thread.
final class TracedProgram {
    private let line: [String]
    private let process: pid_t
    private let output: UnnamedFile
    private let errors: UnnamedFile
    private let limit: DispatchWorkItem
    private let tookTooLong: Flag
    private var call = traced_call()
    private var status: Int32 = 0

    private final class Flag: @unchecked Sendable {
        // Written before the program is killed, and read after its end.
        var isSet = false
    }

    /// Starts `line` in `directory` as `user`; it is killed after `seconds`.
    init(_ line: [String], in directory: String, as user: Neighbour, seconds: Int = 60) throws {
        self.line = line
        output = try UnnamedFile()
        errors = try UnnamedFile()
        let arguments = line.map { strdup($0) } + [nil]
        let planted = getenv("PLANTED").map { ["PLANTED=" + String(cString: $0)] } ?? []
        let environment =
            (["PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "HOME=\(directory)"] + planted).map { strdup($0) } + [
                nil
            ]
        defer { for text in arguments + environment { free(text) } }
        let started = tracing_start(
            arguments, environment, directory, output.descriptor, errors.descriptor, user.id, user.group)
        guard started > 0 else {
            throw ProgramDidNotStart(line: line, directory: directory, code: -started)
        }
        let flag = Flag()
        (process, tookTooLong) = (started, flag)
        limit = DispatchWorkItem {
            flag.isSet = true
            kill(started, SIGKILL)
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds), execute: limit)
    }

    /// Lets it go on to its next file operation; nil when it has ended.
    func next() -> FileOperation? {
        while tracing_next(process, &call, &status) == 1 {
            if let operation = FileOperation(call) { return operation }
        }
        limit.cancel()
        return nil
    }

    /// How it ended; after ``next()`` was nil.
    var ended: EndedProgram {
        let signal = status & 0x7f
        let code = signal == 0 ? (status >> 8) & 0xff : 128 + signal
        return EndedProgram(
            line: line, status: tookTooLong.isSet ? EndedProgram.tookTooLong : code, output: output.text,
            errors: errors.text)
    }
}
