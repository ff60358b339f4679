import Pruning
import Retention

extension GateFit {
    /// Compares the database with a gate, in a transaction.
    init(of gated: GatedRules, place: String, in connection: Connection) throws {
        do {
            let gate = Gate(terms: gated.gate, uses: gated.rules.map { SchemaUse($0) }, place: place)
            self = .fits(versions: try gate.pass(in: connection).versions)
        } catch let error as StoreError where error.kind == .unknownSchema {
            let known = try gated.gate.schemas.map { try CatalogFacts($0.text).namedColumns }
            let own = try CatalogFacts(of: known.flatMap(\.keys), in: connection).namedColumns
            self.init(of: own, to: known, cause: error.cause, hint: error.hint)
        }
    }
}

extension CatalogFacts {
    fileprivate var namedColumns: NamedColumns { tables.mapValues { Set($0.columns.map(\.name)) } }
}
