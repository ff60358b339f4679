/// The kinds of store, without their places.
package enum StoreFormat: String, Hashable, Sendable {
    case sqlite = "SQLite"
    case postgresql = "PostgreSQL"
    case mariadb = "MariaDB"

    /// Whether a server has such stores, and not a file.
    package var isServer: Bool { self != .sqlite }

    /// That of the database that a connection string names.
    package init(ofURL text: String) { self = text.hasPrefix(ConnectionURI.mariadb) ? .mariadb : .postgresql }
}
