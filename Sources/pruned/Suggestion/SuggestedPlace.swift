import Retention

/// A store for which a configuration is proposed: a file, or a database of a server.
struct SuggestedPlace {
    let kind: StoreDefinition.Kind

    /// The place as text for people, without secrets.
    var text: String { StoreDefinition(name: "store", kind: kind).place }

    /// The path of a file; nil for a database on a server.
    var path: String? { if case .sqlite(let path) = kind { path } else { nil } }

    /// The connection string of a database on a server; nil for a file.
    var connection: String? { kind.connection?.text }

    var format: StoreFormat { StoreDefinition(name: "store", kind: kind).format }
}
