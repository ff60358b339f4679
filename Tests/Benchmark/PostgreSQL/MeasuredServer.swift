import Foundation
import TestSupport

/// A PostgreSQL of the benchmark's own: Debian's defaults, but for 512 MB of shared buffers.
final class MeasuredServer {
    /// The role that owns the tables, and deletes.
    static let role = "news"

    let server: PostgreSQLServer
    /// A replica that follows it, if there is one.
    let standby: PostgreSQLServer?
    private let directory: String
    private let progress: Progress
    private let isDurable: Bool
    private var made: Set<String> = []

    /// `isDurable`: whether it waits for the disk, as by default.
    init(in directory: String, progress: Progress, withStandby: Bool, isDurable: Bool) throws {
        (self.directory, self.progress, self.isDurable) = (directory, progress, isDurable)
        var configuration = PostgreSQLConfiguration()
        configuration.settings = ["shared_buffers": "512MB"]
        if !isDurable { configuration.settings["fsync"] = "off" }
        configuration.dataDirectory = directory
        server = try PostgreSQLServer.start(configuration: configuration)
        // It watches replicas.
        try server.psql("CREATE ROLE \(Self.role) LOGIN IN ROLE pg_monitor")
        // The slot keeps what it has not yet received while a table is made.
        standby = try withStandby ? server.standby(slot: "replica") : nil
    }

    /// A new copy of the database of `recipe`, with everything written, in place of the one before.
    func copy(of recipe: ServerRecipe) throws -> ServerCopy {
        try make(recipe)
        try removeCopy()
        try server.psql(
            """
            CREATE DATABASE copy TEMPLATE \(recipe.name) STRATEGY file_copy OWNER \(Self.role);
            CHECKPOINT;
            """, seconds: 1_200)
        if let standby {
            try standby.psql("CHECKPOINT")
            try waitForReplica()
        }
        if isDurable { sync() }
        return ServerCopy(server: server, state: state)
    }

    /// Until what is done now is seen at once: the lag is known by what was done last.
    private func waitForReplica() throws {
        try wait(for: "a replica that is not behind", seconds: 1_200) {
            try server.psql(
                """
                SELECT pg_logical_emit_message(true, '', '') IS NULL;
                SELECT max(replay_lag) < '100 ms' FROM pg_stat_replication;
                """
            ).hasSuffix("t")
        }
    }

    private var state: String { directory + "/server-state" }

    func removeCopy() throws {
        try server.psql("DROP DATABASE IF EXISTS copy WITH (FORCE)")
        if FileManager.default.fileExists(atPath: state) { try FileManager.default.removeItem(atPath: state) }
    }

    private func make(_ recipe: ServerRecipe) throws {
        guard made.insert(recipe.name).inserted else { return }
        let start = MonotonicClock.nanoseconds
        try server.psql("CREATE DATABASE \(recipe.name) OWNER \(Self.role)")
        try server.psql(
            recipe.statements, database: recipe.name, user: Self.role,
            settings: ["maintenance_work_mem": "512MB"],
            seconds: 3_600)
        let seconds = Double(MonotonicClock.nanoseconds - start) / 1e9
        progress.say("made \(recipe.name) in \(seconds.formatted(digits: 1)) s")
    }
}

/// The database of one run.
struct ServerCopy {
    let server: PostgreSQLServer
    /// The state directory, which does not exist before the run.
    let state: String

    var url: String { server.url(database: "copy", user: MeasuredServer.role) }
    var configuration: String { state + "/pruned.toml" }

    /// The `psql` program with one statement, which ends at the first error.
    func psql(_ sql: String) throws -> Program {
        Program(
            try PostgreSQLPrograms.path("psql"),
            ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", sql])
    }

    func query(_ sql: String) throws -> String {
        try psql(sql).measured().answer()
    }
}
