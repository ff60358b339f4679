extension StoreSchema {
    /// The tables that `uses` depend on: what a gate must know. Some may be called like a column of a rule only.
    package func tables(for uses: [SchemaUse], by names: SchemaNames) -> StoreSchema {
        let folded = FoldedSchema(self, by: names)
        var wanted: Set<String> = []
        for use in uses {
            let used = names.all(in: use)
            // A condition may name a table without its schema.
            wanted.formUnion(
                folded.tables.keys.filter { name in
                    used.contains(name) || used.contains(String(name.split(separator: ".").last ?? ""))
                })
            let fired = FiredParts(use.changes, in: folded, by: names)
            wanted.formUnion(fired.changed.union(fired.named))
            // Whatever becomes of the rows of a child: a rule must not reach a table of which nothing is known.
            for (child, table) in folded.tables
            where table.foreignKeys.contains(where: { fired.changed.contains($0.parent) }) {
                wanted.insert(child)
            }
        }
        return StoreSchema(tables.filter { wanted.contains(names.comparedTable($0.name)) })
    }
}
