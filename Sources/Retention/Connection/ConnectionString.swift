/// Where a database of a server is: a connection string of libpq, either a URI or settings such as `host=db user=ada`; or a URI
/// of MariaDB.
///
/// It may have a password. Only ``text`` has it: descriptions and mirrors show ``redacted``.
package struct ConnectionString: Sendable {
    /// The text as it was given, for the connection alone.
    package let text: String
    /// The text with `***` for each secret. It is a connection string, too.
    package let redacted: String
    /// Whether the text has a password or another secret.
    package let hasPassword: Bool

    /// Throws if libpq could not parse `text`. Its own errors would show the text with the password.
    package init(_ text: String) throws(ConnectionStringError) {
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw ConnectionStringError(
                "has a control character", hint: "write it on one line, without tabs")
        }
        let bytes = Array(text.utf8)
        let secrets =
            if let start = ConnectionURI.start(of: bytes) {
                try ConnectionURI.secrets(in: bytes, from: start)
            } else {
                try ConnectionSettings.secrets(in: bytes)
            }
        self.text = text
        redacted = secrets.redacted(bytes)
        hasPassword = secrets.hasPassword
    }

    package var isOfMariaDB: Bool { text.hasPrefix(ConnectionURI.mariadb) }

    /// What may be shown of a text that should be a connection string, whether it is one or not.
    package static func redacted(_ text: String) -> String {
        if let string = try? ConnectionString(text) { return string.redacted }
        return (ConnectionURI.schemes.first { text.lowercased().hasPrefix($0) } ?? "")
            + ConnectionSecrets.mask
    }

    /// Whether `text` begins like such a URI, however damaged, so that it may have a password.
    package static func isURI(_ text: String) -> Bool {
        let text = text.drop { $0.isWhitespace }.lowercased()
        return ConnectionURI.schemes.contains { text.hasPrefix($0) }
    }
}

extension ConnectionString: Hashable {
    package static func == (a: ConnectionString, b: ConnectionString) -> Bool { a.text == b.text }

    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension ConnectionString: Codable {
    package init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    /// Writes ``text``, with the password if it has one.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension ConnectionString: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { redacted }

    package var debugDescription: String { "ConnectionString(\(redacted))" }

    package var customMirror: Mirror { Mirror(self, children: ["redacted": redacted]) }
}
