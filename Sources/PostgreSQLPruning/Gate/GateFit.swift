import Pruning
import Retention

extension GateFit {
    /// Compares the database with a gate, in a transaction.
    init(of gated: GatedRules, place: String, in connection: Connection) throws {
        do {
            let gate = Gate(terms: gated.gate, uses: gated.rules.map { SchemaUse($0) }, place: place)
            self = .fits(versions: try gate.pass(in: connection).versions)
        } catch let error as StoreError where error.kind == .unknownSchema {
            self =
                try Self.hasTables(of: gated.gate, connection)
                ? .differs(cause: error.cause, hint: error.hint) : .other
        }
    }

    private static func hasTables(of terms: StoreGate, _ connection: Connection) throws -> Bool {
        try terms.schemas.contains { schema in
            let names = try Set(CatalogFacts(schema.text).tables.keys)
            return try CatalogFacts(of: names, in: connection).tables.count == names.count
        }
    }
}
