import Retention

/// Looks at a store that no policy has yet. It changes nothing, and keeps no lock for longer than it looks at one table.
package protocol StoreSketching {
    /// The tables, and some rows of each.
    func take() throws(StoreError) -> StoreSketch

    /// How many of the values of each question a column has; nil for those for which there is no time.
    func count(_ questions: [KeyQuestion]) throws(StoreError) -> [Int?]

    /// Compares the schema with each of `gates`.
    func fit(_ gates: [GatedRules]) throws(StoreError) -> [GateFit]
}

/// A gate, and the rules for which a schema must pass it.
package struct GatedRules: Sendable {
    package let gate: StoreGate
    package let rules: [RetentionRule]

    package init(gate: StoreGate, rules: [RetentionRule]) {
        (self.gate, self.rules) = (gate, rules)
    }
}

/// How the schema of a store compares with a gate.
package enum GateFit: Equatable, Sendable {
    /// It is that of these versions of the app.
    case fits(versions: String)
    /// It has all of the app's tables with most of their columns, and is none of the known schemas.
    case differs(cause: String, hint: String?)
    /// It has tables that are called so, but it is not that app's.
    case alike(tables: [String])
    /// It is another app's.
    case other
}

/// The names in a schema: the columns of each table.
package typealias NamedColumns = [String: Set<String>]

extension GateFit {
    /// How a schema compares that is none of the known ones. What an app names alike is not that app: all tables
    /// must be there, and most of their columns.
    package init(of own: NamedColumns, to known: [NamedColumns], cause: String, hint: String?) {
        let shared = known.map { schema in
            schema.compactMap { table, columns in own[table].map { (table, $0.intersection(columns).count) } }
        }
        let isNamed = zip(known, shared).contains { schema, shared in
            let all = schema.values.reduce(0) { $0 + $1.count }
            return shared.count == schema.count && 2 * shared.reduce(0) { $0 + $1.1 } > all
        }
        let most = zip(known, shared).filter { 2 * $1.count >= $0.count && !$1.isEmpty }.map(\.1)
            .max { $0.count < $1.count }
        self =
            isNamed
            ? .differs(cause: cause, hint: hint) : most.map { .alike(tables: $0.map(\.0).sorted()) } ?? .other
    }
}
