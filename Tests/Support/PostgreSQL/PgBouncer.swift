import Foundation

/// Debian's PgBouncer in transaction mode before a server, on a socket of its own; gone with this object.
package final class PgBouncer: Sendable {
    private static let program = "/usr/sbin/pgbouncer"
    package static let isInstalled = access(program, X_OK) == 0

    private let directory: ServerDirectory
    private let process: ChildProcess

    /// - Parameters:
    ///   - users: the roles that may connect.
    ///   - poolSize: how many connections to the server a database and role share.
    package init(
        before server: PostgreSQLServer, users: [String] = ["postgres"], poolSize: Int = 2,
        settings: [String: String] = [:]
    ) throws {
        guard Self.isInstalled else { throw NotInstalled(package: "pgbouncer") }
        directory = try ServerDirectory()
        let path = directory.path
        var lines = [
            "[databases]", "* = host=\(server.socketDirectory) port=\(server.port)", "[pgbouncer]",
            "unix_socket_dir = \(path)", "listen_port = 5432", "listen_addr =", "pool_mode = transaction",
            "auth_type = trust", "auth_file = \(path)/users", "default_pool_size = \(poolSize)",
        ]
        lines += settings.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
        try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: URL(filePath: path + "/pgbouncer.ini"))
        try Data(users.map { "\"\($0)\" \"\"\n" }.joined().utf8).write(to: URL(filePath: path + "/users"))
        let output = try UnnamedFile()
        let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(null) }
        process = try ChildProcess(
            PostgreSQLPrograms.asUser + ["setsid", Self.program, path + "/pgbouncer.ini"], directory: "/",
            input: null, output: output.descriptor, errors: output.descriptor)
        try directory.guardAgainstLeaving(process.processID)
        try wait(for: "the start of pgbouncer: \(output.text)") { [process] in
            !process.isRunning || output.text.contains("process up")
        }
        guard process.isRunning else {
            throw ProgramFailed(Self.program, output.text)
        }
    }

    deinit {
        kill(process.processID, SIGKILL)
        _ = process.wait(seconds: 10)
        try? directory.guardAgainstLeaving(nil)
    }

    /// A connection URI through it.
    package func url(database: String, user: String = "postgres") -> String {
        PostgreSQLServer.url(in: directory.path, port: 5432, database: database, user: user)
    }
}
