import FoundationEssentials
import Pruning

/// What is true of the server and of the role that works on it.
struct ServerFacts: Equatable {
    /// Such as 150018.
    let version: Int
    let isStandby: Bool
    let role: String
    let isSuperuser: Bool
    /// A role that it can become and that rules the server or its files; nil if there is none.
    let powerfulRole: String?
    /// Whether policies for rows do not concern the role.
    let bypassesRowSecurity: Bool
    let database: String
    /// The server's clock when it answered.
    let date: Date
    /// The process of the connection. Behind a pooler, libpq knows another number.
    let processID: Int

    /// The first version with scans of ranges of TIDs.
    static let leastVersion = 140_000
}

extension Connection {
    func serverFacts() throws -> ServerFacts {
        let found = try inquire {
            try query(
                """
                SELECT current_setting('server_version_num'), pg_is_in_recovery(), current_user, r.rolsuper, r.rolbypassrls, \
                current_database(), extract(epoch FROM clock_timestamp()), pg_backend_pid(), \
                (SELECT min(p.rolname) FROM pg_roles p WHERE (p.rolsuper OR p.rolcreaterole OR p.rolname IN \
                ('pg_execute_server_program', 'pg_write_server_files', 'pg_read_server_files')) \
                AND pg_has_role(p.oid, 'MEMBER')) \
                FROM pg_roles r WHERE r.rolname = current_user
                """)
        }
        return ServerFacts(
            version: Int(found.integer(0, 0) ?? 0), isStandby: found.isTrue(0, 1),
            role: found.text(0, 2) ?? "",
            isSuperuser: found.isTrue(0, 3),
            powerfulRole: found.text(0, 8), bypassesRowSecurity: found.isTrue(0, 4),
            database: found.text(0, 5) ?? "",
            date: Date(timeIntervalSince1970: found.text(0, 6).flatMap(Double.init) ?? 0),
            processID: Int(found.integer(0, 7) ?? 0))
    }

    /// Throws if pruned does not work on this server, or not as this role.
    func check(_ facts: ServerFacts) throws(StoreError) {
        let refusal: (StoreErrorKind, String, String)? =
            if facts.version < ServerFacts.leastVersion {
                (.schema, "the server is PostgreSQL \(facts.version / 10_000)", "14 or later is needed")
            } else if facts.isSuperuser {
                (
                    .schema,
                    "\(facts.role) is a superuser: code of the tables' owners would run with all its rights",
                    "make a role of its own with the rights that pruned-postgresql(7) names"
                )
            } else if let power = facts.powerfulRole {
                (
                    .schema,
                    power == facts.role
                        ? "\(power) has CREATEROLE: code of the tables' owners could give itself further rights"
                        : "\(facts.role) may become \(power): code of the tables' owners could, too",
                    power == facts.role
                        ? "ALTER ROLE \(power.quotedIdentifier) NOCREATEROLE"
                        : "REVOKE \(power.quotedIdentifier) FROM \(facts.role.quotedIdentifier)"
                )
            } else if facts.bypassesRowSecurity {
                (
                    .schema, "\(facts.role) has BYPASSRLS, so policies for rows do not hold for it",
                    "ALTER ROLE \(facts.role.quotedIdentifier) NOBYPASSRLS"
                )
            } else {
                nil
            }
        guard let (kind, cause, hint) = refusal else { return }
        throw StoreError(kind, operation: "use the database", place: place, cause: cause, hint: hint)
    }
}
