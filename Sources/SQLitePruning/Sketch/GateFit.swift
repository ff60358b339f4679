import Pruning
import Retention

extension SQLiteSketching {
    /// Compares the store with each of `gates`.
    package func fit(_ gates: [GatedRules]) throws(StoreError) -> [GateFit] {
        let view = try SQLiteView(path: path, control: control)
        defer { view.close() }
        return try view.read("compare the schema") { [path] db in
            try gates.map { gated in
                let gate = Gate(
                    gated.gate, for: gated.rules.map { SchemaUse($0) }, place: path, names: .sqlite)
                return try gate.fit(StoreSchema(of: gated.gate.tables, in: db))
            }
        }
    }
}
