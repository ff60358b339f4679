import Foundation
import Synchronization

/// A real client that stays connected: for open transactions and locks. Gone, with its transaction, with this object.
///
/// It holds what a statement has locked as soon as ``run(_:)`` has returned.
package final class MariaDBClient: Sendable {
    private let server: MariaDBServer
    private let process: ChildProcess
    private let input: PipeInput
    private let output: UnnamedFile
    private let errors: UnnamedFile
    private let answers = Mutex(0)
    /// The server's number of its connection.
    package let connection: Int

    init(_ server: MariaDBServer, database: String, user: String) throws {
        self.server = server
        (input, output, errors) = (try PipeInput(), try UnnamedFile(), try UnnamedFile())
        var program = try server.clientProgram(database: database, user: user)
        program.arguments += ["--unbuffered", "--force"]
        process = try ChildProcess(
            program.line, environment: program.wholeEnvironment, directory: "/", input: input.reading,
            output: output.descriptor, errors: errors.descriptor)
        input.handOver()
        try input.write("SELECT CONNECTION_ID();\nSELECT 0 AS answer_ends;\n")
        try wait(for: "the answer of mariadb: \(errors.text)") { [output, process] in
            !process.isRunning || output.text.contains(Self.end(of: 0))
        }
        connection = ClientOutput.rows(output.text).first?.first?.flatMap { Int($0) } ?? 0
        guard process.isRunning else { throw ProgramFailed("mariadb", errors.text) }
    }

    deinit {
        if process.isRunning { kill(process.processID, SIGTERM) }
    }

    private static func end(of number: Int) -> String {
        "<field name=\"answer_ends\">\(number)</field>\n  </row>\n</resultset>\n"
    }

    /// Sends a statement without a semicolon at its end, and returns what it is to be known by. It may have to wait for
    /// others.
    @discardableResult
    package func send(_ sql: String) throws -> Int {
        let number = answers.withLock { answers in
            answers += 1
            return answers
        }
        try input.write("\(sql)\n;\nSELECT \(number) AS answer_ends;\n")
        return number
    }

    /// Waits for the end of a statement and returns its rows; none if it failed.
    @discardableResult
    package func answer(to number: Int, seconds: Double = 30) throws -> [[String?]] {
        try wait(for: "the answer of mariadb: \(errors.text)", seconds: seconds) {
            hasEnded(number) || !process.isRunning
        }
        guard hasEnded(number) else { throw ProgramFailed("mariadb", errors.text) }
        let rest = output.text.components(separatedBy: Self.end(of: number - 1)).last ?? ""
        let rows = ClientOutput.rows(rest.components(separatedBy: Self.end(of: number)).first ?? "")
        return rows.dropLast()
    }

    package func hasEnded(_ number: Int) -> Bool { output.text.contains(Self.end(of: number)) }

    /// Whether the statement that it is at waits for a row that another session has locked.
    package var isWaitingForRow: Bool {
        get throws { try server.isWaitingForRow(connection) }
    }

    /// Sends a statement and waits for its end.
    @discardableResult
    package func run(_ sql: String) throws -> [[String?]] { try answer(to: try send(sql)) }

    /// What the client has complained of so far.
    package var complaints: String { errors.text }
}
