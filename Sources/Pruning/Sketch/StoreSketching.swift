import Retention

/// Looks at a store that no policy has yet. It changes nothing, and keeps no lock for longer than it looks at one table.
package protocol StoreSketching {
    /// The tables, and some rows of each.
    func take() throws(StoreError) -> StoreSketch

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
    /// It has the app's tables, and is none of the known schemas.
    case differs(cause: String, hint: String?)
    /// It is another app's.
    case other
}
