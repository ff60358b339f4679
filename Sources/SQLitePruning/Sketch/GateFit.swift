import Pruning
import Retention
import SQLite

extension SQLiteSketching {
    /// Compares the store with each of `gates`.
    package func fit(_ gates: [GatedRules]) throws(StoreError) -> [GateFit] {
        let view = try SQLiteView(path: path, control: control)
        defer { view.close() }
        return try view.read("compare the schema") { [path] db in
            try gates.map { try GateFit(of: $0, path: path, in: db) }
        }
    }
}

extension GateFit {
    fileprivate init(of gated: GatedRules, path: String, in db: Database) throws {
        do {
            let gate = Gate(terms: gated.gate, uses: gated.rules.map { SchemaUse($0) }, path: path)
            self = .fits(versions: try gate.pass(in: db).versions)
        } catch let error as StoreError where error.kind == .unknownSchema {
            let known = try gated.gate.schemas.map { try KnownSchema($0).facts.namedColumns }
            let own = try SchemaFacts(of: Set(known.flatMap(\.keys)), in: db).namedColumns
            self.init(of: own, to: known, cause: error.cause, hint: error.hint)
        }
    }
}

extension SchemaFacts {
    fileprivate var namedColumns: NamedColumns { tables.mapValues { Set($0.columns.keys) } }
}
