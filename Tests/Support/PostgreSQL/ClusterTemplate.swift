import Foundation

/// A cluster as `initdb` makes it, made once and copied for each server.
final class ClusterTemplate: Sendable {
    private let directory: ServerDirectory

    private init() throws {
        directory = try ServerDirectory()
        try Program(
            PostgreSQLPrograms.asUser + [
                try PostgreSQLPrograms.path("initdb"), "-D", directory.data, "--locale=C.UTF-8",
                "--encoding=UTF8", "--auth=trust", "-U", "postgres", "--no-sync",
            ]
        ).answer()
    }

    private static let made = Result { try ClusterTemplate() }

    /// Copies it into the empty directory `path`, where a program with `prefix` sees it.
    static func copy(to path: String, prefix: [String]) throws {
        let template = try made.get()
        try Program(prefix + ["cp", "-a", template.directory.data + "/.", path]).answer()
    }
}
