import Foundation
import TestSupport

/// A PostgreSQL server in the container, with a database `news` of the role `app`, and a role for the service.
struct ContainerServer {
    /// The newest version of Debian's server on this machine; nil without one. The container runs its programs, on the
    /// libraries that it has itself.
    static var version: String? {
        let versions = try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")
        return versions?.filter { Int($0) != nil }.max { (Int($0) ?? 0) < (Int($1) ?? 0) }
    }

    static let password = "not-to-be-seen"
    /// systemd starts the server. One that this script started would inherit a socket by which the test sees the script's
    /// end, and the test would wait for the server's end.
    private static let setup = """
        id postgres > /dev/null 2>&1 || useradd --system postgres
        install -d -o postgres -m 755 /run/postgresql
        test -d /srv/server/data || {
            install -d -o postgres /srv/server
            runuser -u postgres -- $bin/initdb -D /srv/server/data -A peer -E UTF8 --locale=C.UTF-8 --no-sync > /dev/null
            printf 'local all all peer\\nhost all all 127.0.0.1/32 scram-sha-256\\n' > /srv/server/data/pg_hba.conf
        }
        systemctl is-active --quiet server ||
            systemd-run --quiet --unit=server --service-type=notify --uid=postgres $bin/postgres -D /srv/server/data \\
                -c unix_socket_directories=/run/postgresql -c listen_addresses=127.0.0.1 -c fsync=off
        """

    private let container: Container
    private let bin: String

    /// Starts it, unless it runs. The table `entries` has 100 rows, of which 60 have been read and are older than 30 days.
    init(in container: Container) throws {
        self.container = container
        let version = Self.version ?? ""
        bin = "/usr/lib/postgresql/\(version)/bin"
        for directory in ["/usr/lib/postgresql", "/usr/share/postgresql"]
        where !FileManager.default.fileExists(atPath: container.path(directory)) {
            try Program(["cp", "-r", directory, container.path(directory)], inherits: true).answer()
        }
        try container.shell("bin=\(bin)\n" + Self.setup)
        try sql("postgres", "DROP DATABASE IF EXISTS news WITH (FORCE)")
        try sql(
            "postgres",
            """
            DO $$ BEGIN CREATE ROLE app LOGIN; CREATE ROLE pruned LOGIN PASSWORD '\(Self.password)'; \
            EXCEPTION WHEN duplicate_object THEN NULL; END $$
            """)
        try sql("postgres", "CREATE DATABASE news OWNER app")
        try sql(
            "news",
            """
            SET ROLE app; CREATE TABLE entries (id bigserial PRIMARY KEY, status text NOT NULL, \
            created_at timestamptz NOT NULL); \
            INSERT INTO entries (status, created_at) SELECT CASE WHEN i <= 70 THEN 'read' ELSE 'unread' END, \
            now() - CASE WHEN i BETWEEN 11 AND 90 THEN interval '40 days' ELSE interval '1 day' END \
            FROM generate_series(1, 100) i; GRANT SELECT, DELETE, UPDATE (id) ON entries TO pruned
            """)
    }

    /// What psql prints.
    @discardableResult
    func sql(_ database: String, _ statements: String) throws -> String {
        try container.run(
            "runuser", "-u", "postgres", "--", "\(bin)/psql", "-XAtq", "-v", "ON_ERROR_STOP=1", database,
            "-c",
            statements)
    }

    func rows() throws -> Int? { Int(try sql("news", "SELECT count(*) FROM entries")) }
}
