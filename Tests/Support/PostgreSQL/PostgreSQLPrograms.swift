import Foundation

/// The programs of a PostgreSQL server, and as whom they run.
package struct PostgreSQLPrograms: Sendable {
    /// The directory with `initdb` and `postgres`, as the programs themselves see it.
    private let directory: String
    /// Makes a program see it.
    let prefix: [String]

    /// Those that `PG_BIN` names, or that are installed here: of the newest version. Nil where there is no server.
    package static let installed: PostgreSQLPrograms? =
        given ?? directory(below: "").map { PostgreSQLPrograms(directory: $0, prefix: []) }
    private static let given = named(by: "PG_BIN")

    /// Those that `PG_BIN` names, or Debian's newest, which `make test-packages` unpacks, with the libraries that it needs.
    /// Nil where it did not, and for whoever may not give it a root directory.
    package static let newest: PostgreSQLPrograms? = {
        if let given { return given }
        let root = URL(filePath: #filePath).appending(path: "../../../../.build/newest-server").standardized
            .path
        guard geteuid() == 0, let found = directory(below: root) else { return nil }
        // It needs the name of its user.
        let enter = """
            mount --rbind /tmp "$0/tmp" && mount --rbind /dev "$0/dev" && mount --bind /etc/passwd "$0/etc/passwd" && \
            exec chroot "$0" "$@"
            """
        return PostgreSQLPrograms(directory: found, prefix: ["unshare", "-m", "sh", "-c", enter, root])
    }()

    /// Those of the server that `TIMESCALE_PG_BIN` names, which has TimescaleDB.
    package static let timescale = named(by: "TIMESCALE_PG_BIN")
    /// Those of the server that `CITUS_PG_BIN` names, which has Citus.
    package static let citus = named(by: "CITUS_PG_BIN")

    private static func named(by variable: String) -> PostgreSQLPrograms? {
        ProcessInfo.processInfo.environment[variable].map { PostgreSQLPrograms(directory: $0, prefix: []) }
    }

    /// Which of them a server is of.
    package enum Build: Sendable, CaseIterable {
        case installed, newest, timescale, citus

        package var programs: PostgreSQLPrograms? {
            switch self {
            case .installed: PostgreSQLPrograms.installed
            case .newest: PostgreSQLPrograms.newest
            case .timescale: PostgreSQLPrograms.timescale
            case .citus: PostgreSQLPrograms.citus
            }
        }
    }

    private static func directory(below root: String) -> String? {
        let place = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root + place)) ?? []
        return versions.sorted { ($0 as NSString).integerValue > ($1 as NSString).integerValue }
            .map { "\(place)/\($0)/bin" }
            .first { access(root + $0 + "/initdb", X_OK) == 0 && access(root + $0 + "/psql", X_OK) == 0 }
    }

    /// Why a test cannot run.
    package static let comment = "needs Debian's postgresql; `make test-packages` installs it"

    /// The first number of the server's version. Nil where it does not say it.
    package var version: Int? {
        let answer = try? Program(prefix + [path("postgres"), "--version"]).answer()
        return answer?.firstMatch(of: /\d+/).flatMap { Int($0.output) }
    }

    /// The path of one of its programs.
    func path(_ name: String) -> String { directory + "/" + name }

    /// The path of one of the installed programs.
    package static func path(_ name: String) throws -> String {
        guard let installed else { throw NotInstalled(package: "postgresql") }
        return installed.path(name)
    }

    /// A user that is not root: a server refuses to run as that. Nil where this process is not root either.
    static let user: (name: String, id: uid_t, group: gid_t)? = {
        guard geteuid() == 0 else { return nil }
        return ["postgres", "nobody"].lazy.compactMap { name in
            getpwnam(name).map { (name, $0.pointee.pw_uid, $0.pointee.pw_gid) }
        }.first
    }()

    /// What makes a program run as ``user``.
    static let asUser: [String] =
        user.map { ["setpriv", "--reuid=\($0.id)", "--regid=\($0.group)", "--clear-groups"] } ?? []
}

/// A program of Debian's is missing.
package struct NotInstalled: Error, CustomStringConvertible {
    package let package: String
    package var description: String { "\(package) is not installed; `make test-packages` installs it" }
}
