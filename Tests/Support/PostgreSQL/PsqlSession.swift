import Foundation
import Synchronization

/// A real psql that stays connected: for open transactions and locks. Gone, with its transaction, with this object.
package final class PsqlSession: Sendable {
    private let process: ChildProcess
    private let input: PipeInput
    private let output: UnnamedFile
    private let errors: UnnamedFile
    private let answers = Mutex(0)
    /// The number of the server's process for it.
    package let backend: pid_t

    init(_ server: PostgreSQLServer, database: String, user: String) throws {
        (input, output, errors) = (try PipeInput(), try UnnamedFile(), try UnnamedFile())
        var program = try server.psqlProgram(database: database, user: user, settings: [:])
        program.arguments += ["-v", "ON_ERROR_STOP=0"]
        process = try ChildProcess(
            program.line, environment: program.wholeEnvironment, directory: "/", input: input.reading,
            output: output.descriptor, errors: errors.descriptor)
        input.handOver()
        try input.write("SELECT pg_backend_pid();\n\\echo answer 0 ends\n")
        try wait(for: "the answer of psql") { [output] in output.text.contains("answer 0 ends") }
        backend = pid_t(output.text.split(separator: "\n").first ?? "") ?? 0
    }

    deinit {
        if process.isRunning { kill(process.processID, SIGTERM) }
    }

    /// Sends a statement and returns what it is to be known by. It may have to wait for others.
    @discardableResult
    package func send(_ sql: String) throws -> Int {
        let number = answers.withLock { answers in
            answers += 1
            return answers
        }
        try input.write("\(sql)\n;\n\\echo answer \(number) ends\n")
        return number
    }

    /// Waits for the end of a statement and returns its rows.
    @discardableResult
    package func answer(to number: Int, seconds: Double = 30) throws -> String {
        try wait(for: "the answer of psql: \(errors.text)", seconds: seconds) { hasEnded(number) }
        let rest = output.text.components(separatedBy: "answer \(number - 1) ends\n").last ?? ""
        let rows = rest.components(separatedBy: "answer \(number) ends").first ?? ""
        return rows.hasSuffix("\n") ? String(rows.dropLast()) : rows
    }

    package func hasEnded(_ number: Int) -> Bool { output.text.contains("answer \(number) ends\n") }

    /// Sends a statement and waits for its end.
    @discardableResult
    package func run(_ sql: String) throws -> String { try answer(to: try send(sql)) }

    /// What psql has complained of so far.
    package var complaints: String { errors.text }
}
