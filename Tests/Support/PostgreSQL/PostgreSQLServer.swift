import Foundation
import Synchronization

/// A real PostgreSQL on a socket in a temporary directory; gone with this object, or with this process however it ends.
///
/// Its superuser is `postgres`, and everybody is trusted.
package final class PostgreSQLServer: Sendable {
    package let configuration: PostgreSQLConfiguration
    let directory: ServerDirectory
    let disk: SmallFileSystem?
    package let port: Int
    private let process = Mutex<ChildProcess?>(nil)

    private static let common = Result { try start() }
    private static let newest = Result {
        var configuration = PostgreSQLConfiguration()
        configuration.build = .newest
        return try start(configuration: configuration)
    }

    /// Takes the settings of libpq out of this process's environment: they would be those of whoever runs the tests.
    private static let withoutSettings: Void = {
        for name in ProcessInfo.processInfo.environment.keys where name.hasPrefix("PG") { unsetenv(name) }
    }()

    /// One for all tests of this process, started when it is first asked for. Each test makes databases of its own in it,
    /// stops nothing, and changes no setting.
    package static var shared: PostgreSQLServer {
        get throws { try common.get() }
    }

    /// The same of Debian's newest version, which ``PostgreSQLPrograms/newest`` has.
    package static var sharedNewest: PostgreSQLServer {
        get throws { try newest.get() }
    }

    /// Starts one for a test that stops, breaks or configures it.
    package static func start(
        configuration: PostgreSQLConfiguration = PostgreSQLConfiguration()
    ) throws -> PostgreSQLServer {
        let server = try PostgreSQLServer(configuration)
        try ClusterTemplate.copy(
            to: server.directory.data, prefix: server.prefix, of: configuration.build)
        try server.configure()
        try server.start()
        return server
    }

    /// One without a cluster.
    init(_ configuration: PostgreSQLConfiguration) throws {
        _ = Self.withoutSettings
        self.configuration = configuration
        directory = try ServerDirectory(dataIn: configuration.dataDirectory)
        disk = try configuration.diskMegabytes.map { [directory] in
            try SmallFileSystem(megabytes: $0, at: directory.data)
        }
        port = try configuration.loopback ? FreePort.find() : 5432
    }

    deinit {
        try? stop(.immediate)
    }

    /// The directory of its socket.
    package var socketDirectory: String { directory.path }
    /// Its data directory, as this process sees it.
    package var dataDirectory: String { (disk?.root ?? "") + directory.data }
    /// What it has logged.
    package var log: String {
        String(
            decoding: FileManager.default.contents(atPath: directory.path + "/log") ?? Data(), as: UTF8.self)
    }
    /// The number of its first process.
    package var processID: pid_t? { process.withLock { $0?.processID } }
    /// Makes a program see its data directory.
    var prefix: [String] { disk?.prefix ?? [] }

    /// Writes the configuration files; later lines go over earlier ones.
    func configure() throws {
        var lines = configuration.settings.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
        lines += [
            "port = \(port)", "unix_socket_directories = '\(directory.path)'",
            "listen_addresses = '\(configuration.loopback ? "127.0.0.1" : "")'",
        ]
        try append(lines, to: "postgresql.conf")
        let access = dataDirectory + "/pg_hba.conf"
        let trusting = try String(contentsOfFile: access, encoding: .utf8)
        let all = configuration.authentication.map { $0 + "\n" }.joined() + trusting
        try FileHandle(forWritingTo: URL(filePath: access)).write(contentsOf: Data(all.utf8))
    }

    private func append(_ lines: [String], to name: String) throws {
        let file = try FileHandle(forWritingTo: URL(filePath: dataDirectory + "/" + name))
        try file.seekToEnd()
        try file.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
        try file.close()
    }

    /// Starts it again after ``stop(_:)`` or ``killAll()``, and waits until it answers.
    package func start() throws {
        try wait(for: "the start of PostgreSQL: \(log.suffix(2_000))", seconds: 60) { try startOnce() }
    }

    /// Whether it started. It does not while processes of a killed one are still there.
    private func startOnce() throws -> Bool {
        let log = open(directory.path + "/log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { for descriptor in [log, null] { close(descriptor) } }
        guard let programs = configuration.build.programs else { throw NotInstalled(package: "postgresql") }
        let program = Program(
            prefix + programs.prefix + PostgreSQLPrograms.asUser + [
                "setsid", programs.path("postgres"), "-D", directory.data,
            ])
        let child = try ChildProcess(
            program.line, environment: program.wholeEnvironment, directory: "/", input: null, output: log,
            errors: log)
        try directory.guardAgainstLeaving(child.processID)
        try wait(for: "an answer of PostgreSQL: \(self.log.suffix(2_000))", seconds: 60) {
            !child.isRunning || isReady(child.processID)
        }
        guard child.isRunning else {
            try directory.guardAgainstLeaving(nil)
            guard self.log.suffix(1_000).contains("still in use") else {
                throw ServerDidNotStart(log: String(self.log.suffix(2_000)))
            }
            return false
        }
        process.withLock { $0 = child }
        return true
    }

    /// As the server says it in its lock file.
    private func isReady(_ processID: pid_t) -> Bool {
        guard
            let text = try? String(contentsOfFile: dataDirectory + "/postmaster.pid", encoding: .utf8)
        else { return false }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > 7, lines[0] == "\(processID)" else { return false }
        return lines[7].hasPrefix("ready") || lines[7].hasPrefix("standby")
    }

    /// Sends `signal` to its first process and waits for that one's end.
    func end(_ signal: Int32) throws {
        guard let child = process.withLock({ $0 }) else { return }
        kill(child.processID, signal)
        guard child.wait(seconds: 60) != nil else {
            throw WaitedTooLong(what: "the end of PostgreSQL", seconds: 60)
        }
        try directory.guardAgainstLeaving(nil)
        process.withLock { $0 = nil }
    }
}

/// A server ended when it was started.
package struct ServerDidNotStart: Error, CustomStringConvertible {
    package var server = "PostgreSQL"
    package let log: String
    package var description: String { "\(server) did not start: \(log)" }
}
