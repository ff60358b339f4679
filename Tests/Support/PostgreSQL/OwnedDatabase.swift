/// A database of a test's own whose tables belong to an app, and a role without rights of its own that prunes it.
package final class OwnedDatabase: Sendable {
    package let database: PostgreSQLDatabase
    package let owner: String
    package let role: String

    /// Runs `sql` as the owner, after `setup` as the superuser. The role may read and change all tables.
    package init(_ sql: String, setup: String = "", on server: PostgreSQLServer? = nil) throws {
        let server = try server ?? .shared
        (owner, role) = (try server.createRole(), try server.createRole())
        database = try server.createDatabase(
            "ALTER SCHEMA public OWNER TO \(owner); ALTER DEFAULT PRIVILEGES FOR ROLE \(owner) GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO \(role);"
                + "ALTER DEFAULT PRIVILEGES FOR ROLE \(owner) GRANT ALL ON SEQUENCES TO \(role);" + setup,
            owner: owner)
        try psql(sql)
    }

    /// As the owner.
    @discardableResult
    package func psql(_ sql: String) throws -> String { try database.psql(sql, user: owner) }
}
