import Foundation

extension PostgreSQLServer {
    /// A streaming replica of this server, which can be asked and promoted.
    ///
    /// - Parameters:
    ///   - settings: more of its settings, such as `recovery_min_apply_delay`.
    ///   - slot: the name of a replication slot that is made for it, if it is to have one.
    ///   - name: as `pg_stat_replication` calls it.
    package func standby(
        named name: String = "standby", settings: [String: String] = [:], slot: String? = nil
    ) throws -> PostgreSQLServer {
        var configuration = PostgreSQLConfiguration()
        configuration.settings = self.configuration.settings.merging(settings) { $1 }
        configuration.settings["cluster_name"] = "'\(name)'"
        configuration.dataDirectory = self.configuration.dataDirectory
        let standby = try PostgreSQLServer(configuration)
        try Program(
            PostgreSQLPrograms.asUser + [
                try PostgreSQLPrograms.path("pg_basebackup"), "-D", standby.directory.data, "-d", url(),
                "-R", "--checkpoint=fast", "--wal-method=stream", "--no-sync",
            ] + (slot.map { ["--create-slot", "--slot", $0] } ?? [])
        ).answer(seconds: 600)
        try standby.configure()
        try standby.start()
        try wait(for: "the standby's stream") {
            try psql(
                "SELECT count(*) FROM pg_stat_replication WHERE application_name = '\(name)' AND state = 'streaming'"
            ) == "1"
        }
        return standby
    }

    /// Makes a standby the primary of a new timeline.
    package func promote() throws {
        try psql("SELECT pg_promote(true, 60)")
    }

    /// Whether a standby applies what it receives.
    package func setReplay(paused: Bool) throws {
        try psql("SELECT pg_wal_replay_\(paused ? "pause" : "resume")()")
        guard paused else { return }
        try wait(for: "the pause") { try psql("SELECT pg_get_wal_replay_pause_state()") == "paused" }
    }

    /// Waits until a standby of this server has applied everything so far.
    package func waitForReplay(by standby: PostgreSQLServer) throws {
        let end = try psql("SELECT pg_current_wal_lsn()")
        try wait(for: "the replay") {
            try standby.psql("SELECT pg_last_wal_replay_lsn() >= '\(end)'") == "t"
        }
    }
}
