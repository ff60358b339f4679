import Retention

/// The keys of the top level.
enum FileKey: String, PolicyKey {
    case timeZone = "time_zone"
    case metricsFile = "metrics_file"
    case `guard`
    case batch
    case archive
    case store
    case rule
}

/// The keys of `[guard]`, and of a rule's own `guard`.
enum GuardKey: String, PolicyKey {
    case maxShare = "max_share"
    case minRows = "min_rows"
}

/// The keys of `[batch]`.
enum BatchKey: String, PolicyKey {
    case lockTime = "lock_time"
    case workers
}

/// The keys of `[archive]`.
enum ArchiveKey: String, PolicyKey {
    case maxSize = "max_size"
    case maxTotal = "max_total"
}

/// The keys of `[store.NAME]`.
enum StoreKey: String, PolicyKey {
    case path
    case paths
    case url
    case maxLag = "max_lag"
    case maxSlotLog = "max_slot_wal"
    case maxRowsPerSecond = "max_rows_per_s"
    case reclaim
    case quiet
    case preset
    case prefix
    case prefixes
    case schemas
    case acceptColumns = "accept_columns"
    case skipWhileLocked = "skip_while_locked"
    case triggers
    case schema
}

/// The keys of `[[store.NAME.schema]]`, and of a preset's `[[schema]]`.
enum SchemaKey: String, PolicyKey {
    case versions
    case tables
}

/// The keys of `presets/NAME.toml`.
enum PresetKey: String, PolicyKey {
    case app
    case versions
    case testedWith = "tested_with"
    case path
    case url
    case notes
    case prefix
    case reclaim
    case quiet
    case skipWhileLocked = "skip_while_locked"
    case triggers
    case schema
    case rule
}

extension SchemaKey {
    static func successor(of name: String, in path: [String]) -> String? {
        guard ["sql", "catalog"].contains(name) else { return nil }
        let store = path.first == FileKey.store.rawValue && path.count > 1 ? path[1] : "STORE"
        return
            "write tables = \"table NAME\" in its place, with a table of the rule; then"
            + " `pruned check --schema \(store)` prints the lines that belong there"
    }
}
