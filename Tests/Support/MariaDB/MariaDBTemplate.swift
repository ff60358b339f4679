import Foundation
import Synchronization

/// Data as `mariadb-install-db` makes it, made once and copied for each server.
final class MariaDBTemplate: Sendable {
    private let directory: ServerDirectory

    private init() throws {
        let programs = try MariaDBPrograms.needed
        directory = try ServerDirectory(kind: "mariadb")
        let settings = MariaDBConfiguration.testing.map { "--\($0.key)=\($0.value)" }
        try Program(
            [programs.path("mariadb-install-db")] + programs.options + [
                "--datadir=\(directory.data)", "--auth-root-authentication-method=normal", "--skip-test-db",
                "--skip-name-resolve",
            ] + settings
        ).answer()
    }

    private static let made = Result { try MariaDBTemplate() }

    /// Copies it into the empty directory `path`.
    static func copy(to path: String) throws {
        try Program(["cp", "-a", try made.get().directory.data + "/.", path]).answer()
    }
}
