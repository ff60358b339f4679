import Foundation

/// A cluster as `initdb` makes it, made once and copied for each server.
final class ClusterTemplate: Sendable {
    private let directory: ServerDirectory

    private init(_ programs: PostgreSQLPrograms?) throws {
        guard let programs else { throw NotInstalled(package: "postgresql") }
        directory = try ServerDirectory()
        try Program(
            programs.prefix + PostgreSQLPrograms.asUser + [
                programs.path("initdb"), "-D", directory.data, "--locale=C.UTF-8",
                "--encoding=UTF8", "--auth=trust", "-U", "postgres", "--no-sync",
            ]
        ).answer()
    }

    private static let installed = Result { try ClusterTemplate(.installed) }
    private static let unpacked = Result { try ClusterTemplate(.unpacked) }

    /// Copies it into the empty directory `path`, where a program with `prefix` sees it.
    static func copy(to path: String, prefix: [String], isUnpacked: Bool) throws {
        let template = try (isUnpacked ? unpacked : installed).get()
        try Program(prefix + ["cp", "-a", template.directory.data + "/.", path]).answer()
    }
}
