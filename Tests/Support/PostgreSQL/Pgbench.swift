import Foundation

/// Debian's pgbench as an app that works on a database meanwhile. It is killed when this object goes.
package final class Pgbench: Sendable {
    private let directory: ServerDirectory
    private let process: ChildProcess
    private let output: UnnamedFile
    private let seconds: Int

    /// - Parameters:
    ///   - url: the database.
    ///   - script: one transaction, in pgbench's language.
    ///   - rate: how many transactions a second all clients start; as many as they can when nil.
    ///   - seconds: for how long.
    package init(
        on url: String, script: String, rate: Int?, seconds: Int, clients: Int = 4, options: [String] = []
    ) throws {
        directory = try ServerDirectory()
        output = try UnnamedFile()
        self.seconds = seconds
        let path = directory.path
        try Data(script.utf8).write(to: URL(filePath: path + "/script"))
        let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(null) }
        let program = Program(
            [
                try PostgreSQLPrograms.path("pgbench"), "--no-vacuum", "--file=\(path)/script", "--log",
                "--log-prefix=\(path)/log", "--time=\(seconds)", "--client=\(clients)", "--jobs=1",
            ] + (rate.map { ["--rate=\($0)"] } ?? []) + options + [url])
        process = try ChildProcess(
            program.line, environment: program.wholeEnvironment, directory: "/", input: null,
            output: output.descriptor, errors: output.descriptor)
        try directory.guardAgainstLeaving(process.processID)
    }

    deinit {
        if process.isRunning { kill(process.processID, SIGKILL) }
        try? directory.guardAgainstLeaving(nil)
    }

    package var isRunning: Bool { process.isRunning }

    /// Ends it early, by the signal that tells it that its time is over.
    package func stop() {
        kill(process.processID, SIGALRM)
    }

    /// Waits for its end, throws if it failed, and returns what it measured.
    package func finish() throws -> PgbenchLatencies {
        let status = process.wait(seconds: Double(seconds) + 60)
        guard status == 0 else {
            throw ProgramFailed("pgbench", output.text, status: status ?? -1)
        }
        return try PgbenchLatencies(filesIn: directory.path, summary: output.text)
    }
}
