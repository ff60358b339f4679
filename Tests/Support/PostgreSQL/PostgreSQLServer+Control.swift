import Foundation

extension PostgreSQLServer {
    /// How it ends.
    package enum Stop: Sendable {
        /// Transactions are rolled back, and everything is written.
        case fast
        /// At once; the next start recovers.
        case immediate
    }

    package func stop(_ way: Stop = .fast) throws {
        switch way {
        case .fast: try end(SIGINT)
        case .immediate: try end(SIGQUIT)
        }
    }

    package func restart(_ way: Stop = .fast) throws {
        try stop(way)
        try start()
    }

    /// Kills its first process with SIGKILL, as the kernel does when memory is short; the others end when they notice.
    package func killFirstProcess() throws {
        try end(SIGKILL)
    }

    /// Changes a setting that needs no restart, for all sessions. `value` as SQL has it.
    package func set(_ name: String, to value: String) throws {
        try psql(
            "ALTER SYSTEM SET \(name) = \(value); SELECT pg_reload_conf()",
            settings: ["synchronous_commit": "local"])
        // Sessions take the change over at their next statement, but only after the first process has read it.
        let shown = "SELECT setting FROM pg_file_settings WHERE name = '\(name)' ORDER BY seqno DESC LIMIT 1"
        try wait(for: "the new \(name)") {
            try psql(
                "SELECT (\(shown)) IS NOT DISTINCT FROM s.setting OR s.unit IS NOT NULL FROM pg_settings s WHERE name = '\(name)'"
            ) == "t"
        }
    }

    /// Has commits wait for a standby that is not there, as when it died.
    package func loseSynchronousStandby() throws {
        try set("synchronous_standby_names", to: "'gone'")
    }
}
