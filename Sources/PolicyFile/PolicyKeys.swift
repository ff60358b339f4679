import Retention

/// The file's top level.
enum FileKey: String, PolicyKey {
    case timeZone = "time_zone"
    case metricsFile = "metrics_file"
    case `guard`
    case batch
    case archive
    case store
    case rule
}

/// `[guard]`, and a rule's own `guard`.
enum GuardKey: String, PolicyKey {
    case maxShare = "max_share"
    case minRows = "min_rows"
}

/// `[batch]`.
enum BatchKey: String, PolicyKey {
    case lockTime = "lock_time"
}

/// `[archive]`.
enum ArchiveKey: String, PolicyKey {
    case maxSize = "max_size"
}

/// `[store.NAME]`.
enum StoreKey: String, PolicyKey {
    case path
    case reclaim
    case quiet
}
