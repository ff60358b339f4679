/// A program that has ended.
package struct EndedProgram: CustomStringConvertible, Sendable {
    package let line: [String]
    /// Its exit status; 128 and the signal's number when a signal ended it, as a shell says it.
    package let status: Int32
    package let output: String
    package let errors: String
    package let usage: Usage

    package init(
        line: [String], status: Int32, output: String, errors: String, usage: Usage = Usage()
    ) {
        (self.line, self.status, self.output, self.errors) = (line, status, output, errors)
        self.usage = usage
    }

    /// What a failed expectation shows.
    package var description: String {
        "`\(line.joined(separator: " "))` ended with \(status)\nstdout: \(output)\nstderr: \(errors)"
    }

    /// Throws unless it succeeded.
    @discardableResult
    package func checked() throws -> EndedProgram {
        guard status == 0 else { throw ProgramFailed(program: self) }
        return self
    }

    /// What it wrote, without the last line's end. Throws unless it succeeded.
    @discardableResult
    package func answer() throws -> String {
        let output = try checked().output
        return output.hasSuffix("\n") ? String(output.dropLast()) : output
    }
}

/// A program failed that a test relies on.
package struct ProgramFailed: Error, CustomStringConvertible {
    package let program: EndedProgram
    package var description: String { program.description }
    package var errors: String { program.errors }

    package init(program: EndedProgram) { self.program = program }

    /// One that was to go on, and ended after it wrote `output`.
    package init(_ name: String, _ output: String, status: Int32 = 1) {
        self.init(program: EndedProgram(line: [name], status: status, output: output, errors: ""))
    }
}

/// A program was killed because it did not end.
package struct ProgramTookTooLong: Error, CustomStringConvertible {
    package let line: [String]
    package let seconds: Double
    package let output: String
    package let errors: String
    package var description: String {
        "`\(line.joined(separator: " "))` did not end within \(seconds) s\nstderr: \(errors)"
    }
}
