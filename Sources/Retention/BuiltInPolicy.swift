import FoundationEssentials

extension RetentionPolicy {
    /// What is pruned when no configuration file says otherwise: the default store, by the default rules.
    package static func builtIn(timeZone: Zone) throws(PolicyError) -> RetentionPolicy {
        let store: Name = "reader"
        return try RetentionPolicy(
            timeZone: timeZone,
            stores: [StoreDefinition(name: store, path: "reader.sqlite")],
            rules: [
                RetentionRule(
                    name: "timeline", store: store, table: "tweet",
                    expiry: .age(column: "created_at", keep: Span(30, .day))),
                RetentionRule(
                    name: "read-records", store: store, table: "read_record",
                    expiry: .age(column: "created_at", keep: Span(30, .day)),
                    keptBy: ColumnReference(table: "tweet", column: "id"),
                    archiveKeep: RetentionRule.defaultArchiveKeep),
                RetentionRule(
                    name: "feed-cache", store: store, table: "feed",
                    expiry: .deadline(column: "expires_at", grace: nil),
                    every: Span(5, .minute), dependents: ["article"]),
                RetentionRule(
                    name: "items", store: store, table: "item",
                    expiry: .age(column: "timestamp", keep: Span(183, .day))),
            ])
    }
}
