import Foundation

/// Where Debian has PostgreSQL's programs, and as whom a server runs.
package enum PostgreSQLPrograms {
    /// The directory with `initdb`, `postgres` and `psql`: of the newest version. Nil where there is no server.
    package static let directory: String? = {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return versions.sorted { ($0 as NSString).integerValue > ($1 as NSString).integerValue }
            .map { "\(root)/\($0)/bin" }
            .first { access($0 + "/initdb", X_OK) == 0 && access($0 + "/psql", X_OK) == 0 }
    }()

    /// Why a test cannot run.
    package static let comment = "needs Debian's postgresql; `make test-packages` installs it"

    /// The path of one of its programs.
    package static func path(_ name: String) throws -> String {
        guard let directory else { throw NotInstalled(package: "postgresql") }
        return directory + "/" + name
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
