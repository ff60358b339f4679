/// How a server of a test's own is set up.
package struct PostgreSQLConfiguration: Sendable {
    /// Lines of `postgresql.conf`, by name; the values as they are written there.
    package var settings = Self.testing
    /// Lines of `pg_hba.conf` that go before those that trust everybody.
    package var authentication: [String] = []
    /// Whether it listens on 127.0.0.1, too, at a port of its own.
    package var loopback = false
    /// The size of a file system of its own; it needs 60 to start. Only for root.
    package var diskMegabytes: Int?
    package var build = PostgreSQLPrograms.Build.installed
    /// Where its data is made, if not in /tmp.
    package var dataDirectory: String?

    package init() {}

    /// With these settings, too.
    package init(_ settings: [String: String]) {
        self.settings.merge(settings) { $1 }
    }

    /// The disk is not waited for, as no test cuts the power.
    package static let testing = [
        "fsync": "off", "max_connections": "200", "log_line_prefix": "'%m [%p] %q%u@%d '",
    ]
}
