import PostgreSQLPruning
import Pruning
import Retention
import SQLitePruning

/// A store for which a configuration is proposed: a file, or a PostgreSQL database.
struct SuggestedPlace {
    let kind: StoreDefinition.Kind

    /// The place as text for people, without secrets.
    var text: String { StoreDefinition(name: "store", kind: kind).place }

    /// The path of a file; nil for a database on a server.
    var path: String? { if case .sqlite(let path) = kind { path } else { nil } }

    /// The connection string of a database on a server; nil for a file.
    var connection: String? { if case .postgresql(let connection) = kind { connection.text } else { nil } }

    var format: StoreFormat { StoreDefinition(name: "store", kind: kind).format }

    func sketching(_ control: RunControl) -> any StoreSketching {
        OpenedPlace.sketching(kind, control)
    }

    /// The store, of which only a view is used.
    func store(_ definition: StoreDefinition, rules: [RetentionRule] = []) -> any PrunableStore {
        switch kind {
        case .sqlite(let path):
            SQLiteStore(
                definition, path: path, holder: Self.holder, rules: rules, monotonic: SystemTime.monotonic)
        case .postgresql(let connection):
            PostgreSQLStore(
                definition, url: connection.text, holder: Self.holder, rules: rules,
                monotonic: SystemTime.monotonic)
        }
    }

    private static let holder = "pruned suggest"
}
