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
            self =
                try Self.hasTables(of: gated.gate, db)
                ? .differs(cause: error.cause, hint: error.hint) : .other
        }
    }

    private static func hasTables(of terms: StoreGate, _ db: Database) throws -> Bool {
        try terms.schemas.contains { schema in
            let names = try Set(KnownSchema(schema).facts.tables.keys)
            return try SchemaFacts(of: names, in: db).tables.count == names.count
        }
    }
}
