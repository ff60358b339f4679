import Foundation
import TestSupport

/// A MariaDB of the benchmark's own: Debian's defaults, but for a buffer pool of 512 MB.
final class MeasuredMariaDB {
    let server: MariaDBServer
    private let directory: String
    private let progress: Progress
    private let isDurable: Bool
    private var made: Set<String> = []

    /// `isDurable`: whether it waits for the disk, as by default.
    init(in directory: String, progress: Progress, isDurable: Bool) throws {
        (self.directory, self.progress, self.isDurable) = (directory, progress, isDurable)
        var configuration = MariaDBConfiguration()
        configuration.settings = MariaDBConfiguration.utf8
        configuration.settings["innodb-buffer-pool-size"] = "512M"
        if !isDurable { configuration.settings["innodb-flush-method"] = "nosync" }
        configuration.dataDirectory = directory
        server = try MariaDBServer.start(configuration: configuration)
    }

    /// A new copy of the database of `job`, with everything written, in place of the one before.
    func copy(of job: MariaDBJob) throws -> MariaDBCopy {
        try make(job)
        try removeCopy()
        try server.run("CREATE DATABASE \(MariaDBCopy.name)")
        let copy = MariaDBCopy(server: server, state: state)
        try copy.run(MariaDBJob.creation + "ALTER TABLE entry DISCARD TABLESPACE")
        // The file is whole, and stays as it is, as long as this client has the lock.
        let client = try server.client(database: job.name)
        try client.run("FLUSH TABLES entry FOR EXPORT")
        for file in ["entry.ibd", "entry.cfg"] {
            let paths = [job.name, copy.database].map { "\(server.dataDirectory)/\($0)/\(file)" }
            try Program(["cp", "--reflink=never", "-p"] + paths).answer()
        }
        try client.run("UNLOCK TABLES")
        guard client.complaints.isEmpty else { throw BenchmarkError(client.complaints) }
        try copy.run("ALTER TABLE entry IMPORT TABLESPACE; ANALYZE TABLE entry")
        // What others have deleted is not cleared away at the cost of this run.
        try wait(for: "the end of the server's purging", seconds: 1_200) {
            let left = try server.run("SHOW GLOBAL STATUS LIKE 'Innodb_history_list_length'")
            return (left.first?.last ?? nil).flatMap { Int($0) } ?? .max < 1_000
        }
        if isDurable { sync() }
        return copy
    }

    private var state: String { directory + "/server-state" }

    func removeCopy() throws {
        try server.run("DROP DATABASE IF EXISTS \(MariaDBCopy.name)")
        if FileManager.default.fileExists(atPath: state) { try FileManager.default.removeItem(atPath: state) }
    }

    private func make(_ job: MariaDBJob) throws {
        guard made.insert(job.name).inserted else { return }
        let start = MonotonicClock.nanoseconds
        try server.run("CREATE DATABASE \(job.name)")
        try server.run(job.statements, database: job.name, seconds: 3_600)
        let seconds = Double(MonotonicClock.nanoseconds - start) / 1e9
        progress.say("made \(job.name) in \(seconds.formatted(digits: 1)) s")
    }
}

/// The database of one run.
struct MariaDBCopy {
    static let name = "copy"

    let server: MariaDBServer
    /// The state directory, which does not exist before the run.
    let state: String

    var database: String { Self.name }
    var url: String { server.url(database: database) }
    var configuration: String { state + "/pruned.toml" }

    @discardableResult
    func run(_ sql: String) throws -> [[String?]] {
        try server.run(sql, database: database, seconds: 1_200)
    }

    /// The client with some statements, which ends at the first error.
    func client(_ sql: String) throws -> Program {
        var program = try server.clientProgram(database: database)
        program.arguments += ["--execute", sql]
        return program
    }
}
