import Pruning
import Retention
import SQLite

/// Refuses a store whose schema could make a deletion wrong: where it is none that its definition knows, in what the rules
/// use.
struct Gate {
    let terms: StoreGate
    let uses: [SchemaUse]
    /// The name of the store, for the hint; nil if it has none yet.
    var store: Name?
    /// The store's path.
    let path: String

    /// The schema of the store. Throws ``StoreErrorKind/unknownSchema`` with the differences from the nearest one if it
    /// has none of the known ones, and ``StoreErrorKind/schema`` if these cannot be compared.
    func pass(in db: Database) throws -> KnownSchema {
        do {
            return try compare(db)
        } catch let mismatch as SchemaMismatch {
            throw StoreError(
                .schema, operation: "compare the schema", place: path, cause: mismatch.cause,
                hint: mismatch.hint, setting: setting)
        }
    }

    private func compare(_ db: Database) throws -> KnownSchema {
        let known = try terms.schemas.map { try KnownSchema($0) }
        let own = try SchemaFacts(of: Set(known.flatMap(\.facts.tables.keys)), in: db)
        let compared = known.map { schema in
            let all = uses.flatMap {
                own.differences(
                    from: schema.facts, of: known.map(\.facts), in: $0, accepting: terms.acceptedColumns)
            }
            let differences = all.enumerated().filter { !all[..<$0.offset].contains($0.element) }
            return (
                schema: schema, differences: differences.map(\.element),
                distance: own.distance(to: schema.facts)
            )
        }
        let nearest = compared.min {
            ($0.differences.count, $0.distance) < ($1.differences.count, $1.distance)
        }
        guard let nearest else {
            throw SchemaMismatch("its gate knows no schema", hint: "add a [[schema]]")
        }
        guard nearest.differences.isEmpty else {
            throw refusal(nearest.differences, from: nearest.schema.versions)
        }
        return nearest.schema
    }

    private func refusal(_ differences: [SchemaDifference], from versions: String) -> StoreError {
        let told = differences.prefix(Self.mostTold).map(\.text).joined(separator: "; ")
        let more = differences.count - Self.mostTold
        return StoreError(
            .unknownSchema, operation: "prune the store", place: path,
            cause: "its schema is not that of \(versions): \(told)" + (more > 0 ? "; and \(more) more" : ""),
            hint: hint(differences), setting: setting)
    }

    /// The setting that says which schemas the store may have.
    private var setting: BlamedSetting? {
        store.map { store in
            let table = ["store", store.description]
            return terms.preset.map {
                BlamedSetting(table + ["preset"], value: $0.description.inQuotes)
            }
                ?? BlamedSetting(table + ["schema"])
        }
    }

    /// Differences beyond these are only counted.
    private static let mostTold = 4

    private func hint(_ differences: [SchemaDifference]) -> String {
        let columns = differences.compactMap(\.unknownColumn)
        guard columns.count == differences.count else {
            let versions = terms.schemas.map(\.versions).joined(separator: ", ")
            return "known are the schemas of \(versions); a newer pruned may know this one"
        }
        let list = columns.map { "\"\($0)\"" }.joined(separator: ", ")
        return
            "if rows go whatever stands there, write accept_columns = [\(list)] into [store.\(store?.description ?? "NAME")]"
    }
}
