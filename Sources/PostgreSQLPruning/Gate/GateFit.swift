import Pruning
import Retention

extension GateFit {
    /// Compares the database with a gate, in a transaction.
    init(of terms: StoreGate, place: String, in connection: Connection) throws {
        do {
            self = .fits(versions: try Gate(terms: terms, place: place).pass(in: connection).versions)
        } catch let error as StoreError where error.kind == .unknownSchema {
            self =
                try Self.hasTables(of: terms, connection)
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
