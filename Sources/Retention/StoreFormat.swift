/// The kinds of store, without their places.
package enum StoreFormat: String, Hashable, Sendable {
    case sqlite = "SQLite"
    case postgresql = "PostgreSQL"

    package var other: StoreFormat { self == .sqlite ? .postgresql : .sqlite }
}
