import Foundation

/// A package of Debian's that lies in `.build` and is not installed, as it would start servers of its own.
package struct DebianArchive: Sendable {
    private let path: String

    /// Tiny Tiny RSS.
    package static let ttRSS = DebianArchive(named: "tt-rss")

    /// Nil where `make test-packages` has not downloaded it.
    private init?(named name: String) {
        let build = URL(filePath: #filePath).appending(path: "../../../.build").standardized.path
        let files = (try? FileManager.default.contentsOfDirectory(atPath: build)) ?? []
        guard let file = files.first(where: { $0.hasPrefix(name + "_") && $0.hasSuffix(".deb") }) else {
            return nil
        }
        path = build + "/" + file
    }

    /// The content of one of its files.
    package func file(_ name: String) throws -> String {
        try Program([
            "sh", "-c", "dpkg-deb --fsys-tarfile \"$1\" | tar -xO \".$2\"", "sh", path, name,
        ]).answer()
    }

    /// The tables of Tiny Tiny RSS as its package makes them in PostgreSQL.
    package static var ttRSSSchema: String? {
        get throws { try ttRSS?.file("/usr/share/tt-rss/schema/ttrss_schema_pgsql.sql") }
    }
}
