import Pruning
import Retention

/// Refuses a database whose schema could make a deletion wrong: where it is none that its definition knows, in what the
/// rules use.
struct Gate {
    let terms: StoreGate
    let uses: [SchemaUse]
    /// The name of the store, for the hint; nil if it has none yet.
    var store: Name?
    /// The database, for people.
    let place: String

    /// A schema that the gate knows.
    struct Known {
        /// The versions of the app that have it.
        let versions: String
        let facts: CatalogFacts
    }

    /// The schema of the database. Throws ``StoreErrorKind/unknownSchema`` with the differences from the nearest one if
    /// it has none of the known ones, and ``StoreErrorKind/schema`` if these cannot be read.
    func pass(in connection: Connection) throws -> Known {
        do {
            return try compare(connection)
        } catch let mismatch as SchemaMismatch {
            throw StoreError(
                .schema, operation: "compare the schema", place: place, cause: mismatch.cause,
                hint: mismatch.hint, setting: setting)
        }
    }

    private func compare(_ connection: Connection) throws -> Known {
        let known = try terms.schemas.map { Known(versions: $0.versions, facts: try CatalogFacts($0.text)) }
        let own = try CatalogFacts(of: known.flatMap(\.facts.tables.keys), in: connection)
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

    private func refusal(_ differences: [CatalogDifference], from versions: String) -> StoreError {
        let told = differences.prefix(Self.mostTold).map(\.text).joined(separator: "; ")
        let more = differences.count - Self.mostTold
        return StoreError(
            .unknownSchema, operation: "prune the store", place: place,
            cause: "its schema is not that of \(versions): \(told)" + (more > 0 ? "; and \(more) more" : ""),
            hint: hint(differences), setting: setting)
    }

    /// The setting that says which schemas the store may have.
    private var setting: BlamedSetting? {
        store.map { store in
            let table = ["store", store.description]
            return terms.preset.map { BlamedSetting(table + ["preset"], value: $0.description.inQuotes) }
                ?? BlamedSetting(table + ["schema"])
        }
    }

    /// Differences beyond these are only counted.
    private static let mostTold = 4

    private func hint(_ differences: [CatalogDifference]) -> String {
        let columns = differences.compactMap(\.unknownColumn)
        guard columns.count == differences.count else {
            let versions = terms.schemas.map(\.versions).joined(separator: ", ")
            return "known are the schemas of \(versions); a newer pruned may know this one"
        }
        let list = columns.map(\.inQuotes).joined(separator: ", ")
        return
            "if rows go whatever stands there, write accept_columns = [\(list)] into [store.\(store?.description ?? "NAME")]"
    }
}

extension Gate.Known {
    /// Throws a ``SchemaMismatch`` if a rule reads, writes or reaches a table that is not in this schema, about which
    /// nothing was compared. `tables` are those that the rule names, `relation` is its own.
    func cover(_ tables: [Relation], of relation: Relation, in connection: Connection) throws {
        let own = try Set(facts.tables.keys.compactMap { try connection.relationIfAny($0)?.oid })
        let children =
            try connection.cascades(from: relation).map(\.child)
            + connection.foreignKeys(to: relation.oid).map(\.child)
        let reached = try tables + [relation] + children.map { try connection.relation($0) }
        for table in reached where !own.contains(table.oid) {
            // A partition is its table's.
            guard try own.isDisjoint(with: connection.partitionTree(of: table.oid)) else { continue }
            throw SchemaMismatch(
                "the rule reaches table \(table.description), which the gate's schema of \(versions) does not have",
                hint: "a foreign key leads there: a newer preset may know it")
        }
    }
}
