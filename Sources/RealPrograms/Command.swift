import Foundation

/// A program that is run to its end.
package struct Command: Sendable {
    /// The program and its arguments.
    package var line: [String]
    /// All of its environment.
    package var environment = ["PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"]

    package init(_ line: [String]) { self.line = line }

    /// Runs it with `input` and returns what it wrote to its standard output, without the last line's end.
    ///
    /// Throws ``CommandFailed`` unless it ends with 0 within `seconds`.
    @discardableResult
    package func run(input: String = "", seconds: Double = 240) throws -> String {
        let files = try (0..<3).map { _ in try UnnamedFile() }
        try files[0].fill(input)
        let process = try ChildProcess(
            line, environment: environment, directory: "/", input: files[0].descriptor,
            output: files[1].descriptor, errors: files[2].descriptor)
        let status = process.wait(seconds: seconds)
        if status == nil { kill(process.processID, SIGKILL) }
        guard status == 0 else {
            throw CommandFailed(line: line, status: status, output: files[1].text, errors: files[2].text)
        }
        let output = files[1].text
        return output.hasSuffix("\n") ? String(output.dropLast()) : output
    }
}

/// A program did not do what it was started for.
package struct CommandFailed: Error, CustomStringConvertible {
    package let line: [String]
    /// Nil: it did not end, and was killed.
    package let status: Int32?
    package let output: String
    package let errors: String

    package var description: String {
        let end = status.map { "ended with \($0)" } ?? "did not end in time"
        return "`\(line.joined(separator: " "))` \(end)\nstdout: \(output)\nstderr: \(errors)"
    }
}
