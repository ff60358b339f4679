import Foundation

/// The programs of a MariaDB server.
package struct MariaDBPrograms: Sendable {
    /// The directories that they are in.
    private let directories: [String]
    /// Where the server finds its own files, if it is not installed in the system.
    private let base: String?

    /// Those in the directory that `MARIADB_BIN` names, or that are installed here. Nil where there is no server.
    package static let installed: MariaDBPrograms? = {
        if let directory = ProcessInfo.processInfo.environment["MARIADB_BIN"] {
            return MariaDBPrograms(
                directories: [directory], base: (directory as NSString).deletingLastPathComponent)
        }
        let found = MariaDBPrograms(directories: ["/usr/sbin", "/usr/bin"], base: nil)
        let all = ["mariadbd", "mariadb-install-db", "mariadb"]
        return all.allSatisfy { access(found.path($0), X_OK) == 0 } ? found : nil
    }()

    /// Why a test cannot run.
    package static let comment =
        "needs Debian's mariadb-server-core and mariadb-client-core; `make test-packages` installs them"

    static var needed: MariaDBPrograms {
        get throws {
            guard let installed else { throw NotInstalled(package: "mariadb-server-core") }
            return installed
        }
    }

    /// The path of one of the programs.
    package func path(_ name: String) -> String {
        let paths = directories.map { $0 + "/" + name }
        return paths.first { access($0, X_OK) == 0 } ?? paths[0]
    }

    /// What the server, and the program that makes its data, are told first: no option file of the machine counts, and
    /// the server runs as root only if it is told to.
    var options: [String] {
        ["--no-defaults"] + (base.map { ["--basedir=\($0)"] } ?? []) + (geteuid() == 0 ? ["--user=root"] : [])
    }
}
