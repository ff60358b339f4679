/// How a server of a test's own is set up.
package struct MariaDBConfiguration: Sendable {
    /// Options of `mariadbd`, by name.
    package var settings = Self.testing
    /// Whether it listens on 127.0.0.1, too, at a port of its own.
    package var loopback = false
    /// Where its data is made, if not in /tmp.
    package var dataDirectory: String?

    package init() {}

    /// With these settings, too.
    package init(_ settings: [String: String]) {
        self.settings.merge(settings) { $1 }
    }

    /// The disk is not waited for, as no test cuts the power. Nobody's session is in UTC unless it says so: whoever does not
    /// is found out.
    package static let testing = [
        "innodb-flush-method": "nosync", "innodb-buffer-pool-size": "64M", "innodb-log-file-size": "16M",
        "sync-frm": "0", "performance-schema": "0", "max-connections": "200", "default-time-zone": "+05:30",
    ].merging(utf8) { $1 }

    /// As Debian's own configuration has it.
    package static let utf8 = [
        "character-set-server": "utf8mb4", "collation-server": "utf8mb4_general_ci",
    ]
}
