import Retention

extension RetentionRule {
    /// What `reader` says of partitions to this rule, whose other settings were read.
    func partitions(
        _ reader: TableReader<RuleKey>, on format: StoreFormat
    ) throws(PolicyFileError) -> PartitionAction? {
        guard let text = try reader.string(.partitions) else { return nil }
        guard let action = PartitionAction(rawValue: text) else {
            throw reader.error(
                .partitions, "is nothing that can be done with partitions",
                hint: "write \"drop\", or leave it out: then rows are deleted from them")
        }
        guard format == .postgresql else {
            throw reader.error(
                .partitions, "belongs to a PostgreSQL store",
                hint: "partitions are dropped there alone; remove it")
        }
        guard case .age = expiry else {
            throw reader.error(
                .partitions, beside: expiry.keys?.column, "belongs to age_column",
                hint: "only a rule by age knows from its bounds that a whole partition has expired; remove it"
            )
        }
        if let key = keysOfSingleRows.first {
            throw reader.error(
                .partitions, beside: key,
                "cannot be combined with \(key.rawValue): a partition goes as a whole",
                hint: "remove \(key.rawValue), or remove partitions to delete row by row")
        }
        return action
    }

    /// The keys by which the rule treats some expired rows otherwise than to delete them and no more.
    private var keysOfSingleRows: [RuleKey] {
        let keys: [(RuleKey, Bool)] = [
            (.where, condition != nil), (.protect, !protect.isEmpty), (.keptBy, !keptBy.isEmpty),
            (.keepLast, keepLast != nil), (.archive, archiveKeep != nil), (.dependents, !dependents.isEmpty),
            (.detach, !detach.isEmpty), (.orphansOf, orphansOf != nil),
            (.action, action.isMark), (.tombstone, tombstone != nil),
        ]
        return keys.filter(\.1).map(\.0)
    }
}
