import Foundation

/// A program that ran to its end.
struct Command {
    /// Its name and arguments.
    let line: [String]
    /// Its exit status, or the number of the signal that ended it; 124 when it took too long.
    let status: Int32
    /// What it wrote to standard output and standard error, without white space at the end.
    let output: String
    let errors: String

    /// Runs a program that is found on `PATH`, and ends it after `seconds`.
    static func run(_ line: [String], seconds: Int = 240) throws -> Command {
        let output = try CapturedStream()
        let errors = try CapturedStream()
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["timeout", "--kill-after=5", "\(seconds)"] + line
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output.handle
        process.standardError = errors.handle
        try process.run()
        process.waitUntilExit()
        return try Command(
            line: line, status: process.terminationStatus, output: output.text(), errors: errors.text())
    }

    /// Its output, if it succeeded.
    func checked() throws -> String {
        guard status == 0 else { throw CommandFailure(command: self) }
        return output
    }
}

/// A command failed that was to succeed.
struct CommandFailure: Error, CustomStringConvertible {
    let command: Command

    var description: String {
        "`\(command.line.joined(separator: " "))` ended with \(command.status)\n\(command.output)\n\(command.errors)"
    }
}
