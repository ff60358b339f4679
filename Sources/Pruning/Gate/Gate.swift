import Retention

/// Refuses a store whose schema could make a deletion wrong: where it is none that its definition knows, in what the
/// rules use.
package struct Gate {
    package let terms: StoreGate
    let uses: [SchemaUse]
    /// The name of the store, for the hint; nil if it has none yet.
    let store: Name?
    /// Where the store is, for people.
    let place: String
    let names: SchemaNames

    package init(
        _ terms: StoreGate, for uses: [SchemaUse], store: Name? = nil, place: String, names: SchemaNames
    ) {
        (self.terms, self.uses, self.store, self.place, self.names) = (terms, uses, store, place, names)
    }

    /// The known schema that a store has whose own is `schema`, of the tables of ``StoreGate/tables``. Throws
    /// ``StoreErrorKind/unknownSchema`` with the differences from the nearest one if it has none of them.
    package func pass(_ schema: StoreSchema) throws(StoreError) -> StoreGate.Known {
        guard let verdict = terms.verdict(on: schema, for: uses, by: names) else {
            throw StoreError(
                .schema, operation: "compare the schema", place: place, cause: "its gate knows no schema",
                hint: "add a [[schema]]", setting: setting)
        }
        guard verdict.differences.isEmpty else { throw refusal(verdict) }
        return verdict.nearest
    }

    /// How the store compares, for a proposal.
    package func fit(_ schema: StoreSchema) throws(StoreError) -> GateFit {
        do throws(StoreError) {
            return .fits(versions: try pass(schema).versions)
        } catch {
            guard error.kind == .unknownSchema else { throw error }
            return GateFit(
                of: names.columns(of: schema), to: terms.known.map { names.columns(of: $0.schema) },
                cause: error.cause, hint: error.hint)
        }
    }

    private func refusal(_ verdict: StoreGate.Verdict) -> StoreError {
        let told = verdict.differences.prefix(Self.mostTold).joined(separator: "; ")
        let more = verdict.differences.count - Self.mostTold
        return StoreError(
            .unknownSchema, operation: "prune the store", place: place,
            cause: "its schema is not that of \(verdict.nearest.versions): \(told)"
                + (more > 0 ? "; and \(more) more" : ""),
            hint: hint(verdict), setting: setting)
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

    private func hint(_ verdict: StoreGate.Verdict) -> String {
        guard let columns = verdict.unknownColumns else {
            let versions = terms.known.map(\.versions).joined(separator: ", ")
            return "known are the schemas of \(versions); a newer pruned may know this one"
        }
        let list = columns.map(\.inQuotes).joined(separator: ", ")
        return
            "if the new columns do not affect deletion, add accept_columns = [\(list)] to [store.\(store?.description ?? "NAME")]"
    }
}
