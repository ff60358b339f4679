/// The keys that one kind of table may have; any other is an error.
protocol PolicyKey: RawRepresentable<String>, CaseIterable, Sendable {}

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

/// `[rule.NAME]`.
enum RuleKey: String, PolicyKey {
    case store
    case table
    case ageColumn = "age_column"
    case expiresColumn = "expires_column"
    case unit
    case keep
    case grace
    case every
    case dependents
    case keptBy = "kept_by"
    case keepLast = "keep_last"
    case sourceWindow = "source_window"
    case archive
    case archiveKeep = "archive_keep"
    case quiet
    case `guard`
}
