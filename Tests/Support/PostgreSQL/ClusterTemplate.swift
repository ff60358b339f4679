import Foundation
import Synchronization

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

    private static let all = Mutex<[PostgreSQLPrograms.Build: Result<ClusterTemplate, any Error>]>([:])

    /// Copies it into the empty directory `path`, where a program with `prefix` sees it.
    static func copy(to path: String, prefix: [String], of build: PostgreSQLPrograms.Build) throws {
        let template = try all.withLock { all in
            let made = all[build] ?? Result { try ClusterTemplate(build.programs) }
            all[build] = made
            return made
        }.get()
        try Program(prefix + ["cp", "-a", template.directory.data + "/.", path]).answer()
    }
}
