/// The parts of a connection string that are not shown.
struct ConnectionSecrets {
    /// The ranges of bytes, in order.
    private var ranges: [Range<Int>] = []
    /// Whether one of them is known to be a secret.
    private(set) var hasPassword = false

    static let mask = "***"

    /// Adds a password. An empty one is none.
    mutating func addPassword(at range: Range<Int>) {
        guard !range.isEmpty else { return }
        ranges.append(range)
        hasPassword = true
    }

    /// Adds the value of a setting, unless it may be shown. `range` is where it stands, `value` what it means.
    mutating func add(_ name: String, _ value: some Collection<UInt8>, at range: Range<Int>) {
        guard !value.isEmpty else { return }
        let name = name.lowercased()
        if Self.secret.contains(where: name.contains) {
            addPassword(at: range)
        } else if !Self.isShown(name, String(decoding: value, as: UTF8.self)) {
            ranges.append(range)
        }
    }

    /// The text with a mask for each of the parts.
    func redacted(_ bytes: [UInt8]) -> String {
        var (text, start): ([UInt8], Int) = ([], 0)
        for range in ranges {
            text += bytes[start..<range.lowerBound] + Array(Self.mask.utf8)
            start = range.upperBound
        }
        return String(decoding: text + bytes[start...], as: UTF8.self)
    }

    /// What the names of settings with a secret contain.
    private static let secret = ["password", "secret", "scram_"]

    /// A setting that no libpq knows may be a misspelt `password`. A database's name that looks like a connection string
    /// may have one.
    private static func isShown(_ name: String, _ value: String) -> Bool {
        shown.contains(name) && (name != "dbname" || !value.contains("=") && !value.contains("://"))
    }

    /// The settings of libpq up to PostgreSQL 18 that are not secret, and those of a URI of MariaDB.
    private static let shown: Set<String> = [
        "application_name", "authtype", "channel_binding", "client_encoding", "connect_timeout", "dbname",
        "fallback_application_name", "gssdelegation", "gssencmode", "gsslib", "host", "hostaddr",
        "keepalives",
        "keepalives_count", "keepalives_idle", "keepalives_interval", "krbsrvname", "load_balance_hosts",
        "max_protocol_version", "min_protocol_version", "oauth_client_id", "oauth_issuer", "oauth_scope",
        "options", "passfile", "port", "replication", "require_auth", "requirepeer", "requiressl", "service",
        "servicefile", "ssl", "ssl_max_protocol_version", "ssl_min_protocol_version", "sslcert",
        "sslcertmode", "sslcompression", "sslcrl", "sslcrldir", "sslkey", "sslkeylogfile", "sslmode",
        "socket", "sslnegotiation", "sslrootcert", "sslsni", "target_session_attrs", "tcp_user_timeout",
        "tty", "user",
    ]
}

/// Why a text is no connection string. It shows nothing of the text.
package struct ConnectionStringError: Error, Equatable, Sendable {
    package let reason: String
    package let hint: String

    package init(_ reason: String, hint: String) {
        (self.reason, self.hint) = (reason, hint)
    }
}
