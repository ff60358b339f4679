import Foundation
import Synchronization

/// A real MariaDB on a socket in a temporary directory; gone with this object, or with this process however it ends.
///
/// Its superuser is `root`, without a password.
package final class MariaDBServer: Sendable {
    package let configuration: MariaDBConfiguration
    let directory: ServerDirectory
    /// Where it listens on 127.0.0.1; nil if it does not.
    package let port: Int?
    private let process = Mutex<ChildProcess?>(nil)

    private static let common = Result { try start() }

    /// Takes the settings of the client library out of this process's environment: they would be those of whoever runs
    /// the tests.
    private static let withoutSettings: Void = {
        for name in ProcessInfo.processInfo.environment.keys where name.hasPrefix("MYSQL_") { unsetenv(name) }
    }()

    /// One for all tests of this process, started when it is first asked for. Each test makes databases of its own in it,
    /// stops nothing, and changes no setting.
    package static var shared: MariaDBServer {
        get throws { try common.get() }
    }

    /// Starts one for a test that stops, breaks or configures it.
    package static func start(
        configuration: MariaDBConfiguration = MariaDBConfiguration()
    ) throws -> MariaDBServer {
        let server = try MariaDBServer(configuration)
        try MariaDBTemplate.copy(to: server.directory.data)
        try server.start()
        return server
    }

    /// One without data.
    private init(_ configuration: MariaDBConfiguration) throws {
        _ = Self.withoutSettings
        self.configuration = configuration
        directory = try ServerDirectory(dataIn: configuration.dataDirectory, kind: "mariadb")
        port = try configuration.loopback ? FreePort.find() : nil
    }

    deinit {
        try? kill()
    }

    /// The path of its socket.
    package var socket: String { directory.path + "/socket" }
    /// Its data directory.
    package var dataDirectory: String { directory.data }
    /// What it has logged.
    package var log: String {
        String(
            decoding: FileManager.default.contents(atPath: directory.path + "/log") ?? Data(), as: UTF8.self)
    }
    /// The number of its process; nil while it does not run.
    package var processID: pid_t? { process.withLock { $0?.processID } }

    /// Whether it has ended by itself.
    var hasDied: Bool { process.withLock { $0?.isRunning == false } }

    /// Starts it again after ``stop()`` or ``kill()``, and waits until it answers. It gets `settings`, too, until the next
    /// start.
    package func start(_ settings: [String: String] = [:]) throws {
        let log = open(directory.path + "/log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { for descriptor in [log, null] { close(descriptor) } }
        let programs = try MariaDBPrograms.needed
        let all = configuration.settings.merging(settings) { $1 }.sorted { $0.key < $1.key }
        let network = port.map { ["--bind-address=127.0.0.1", "--port=\($0)"] } ?? ["--skip-networking"]
        let program = Program(
            ["setsid", programs.path("mariadbd")] + programs.options + [
                "--datadir=\(directory.data)", "--socket=\(socket)", "--pid-file=\(directory.path)/pid",
                // At its start a server deletes the temporary tables of all others in the same directory.
                "--tmpdir=\(directory.data)",
                "--skip-name-resolve",
            ] + network + all.map { "--\($0.key)=\($0.value)" })
        let child = try ChildProcess(
            program.line, environment: program.wholeEnvironment, directory: "/", input: null, output: log,
            errors: log)
        try directory.guardAgainstLeaving(child.processID)
        try wait(for: "an answer of MariaDB: \(self.log.suffix(2_000))", seconds: 120) {
            !child.isRunning || answers()
        }
        guard child.isRunning else {
            try directory.guardAgainstLeaving(nil)
            throw ServerDidNotStart(server: "MariaDB", log: String(self.log.suffix(2_000)))
        }
        process.withLock { $0 = child }
    }

    /// Whether it greets whoever connects. It listens before it is ready, and greets nobody until then.
    private func answers() -> Bool {
        guard let connection = try? UnixSocket.connect(to: socket) else { return false }
        defer { close(connection) }
        var greeting = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
        return poll(&greeting, 1, 1_000) > 0 && UnixSocket.receive(from: connection) != nil
    }

    /// Transactions are rolled back, and everything is written.
    package func stop() throws { try end(SIGTERM) }

    /// Kills it, as the kernel does when memory is short; the next start recovers.
    package func kill() throws { try end(SIGKILL) }

    private func end(_ signal: Int32) throws {
        guard let child = process.withLock({ $0 }) else { return }
        Glibc.kill(child.processID, signal)
        guard child.wait(seconds: 120) != nil else {
            throw WaitedTooLong(what: "the end of MariaDB", seconds: 120)
        }
        try directory.guardAgainstLeaving(nil)
        process.withLock { $0 = nil }
    }
}

/// A server has ended by itself, as when it has crashed.
package struct ServerDied: Error, CustomStringConvertible {
    package let log: String
    package var description: String { "MariaDB has ended by itself: \(log)" }
}
