import FoundationEssentials

extension PruneReport: Encodable {
    /// Scripts read these: they stay.
    enum CodingKeys: String, CodingKey {
        case runID = "run_id"
        case startedAt = "started_at"
        case durationMilliseconds = "duration_ms"
        case dryRun = "dry_run"
        case outcome, rules
        case reclaims = "reclaimed"
    }

    /// Encodes with times as ISO 8601 in UTC and durations as milliseconds.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(runID.description, forKey: .runID)
        try container.encode(startedAt.iso8601, forKey: .startedAt)
        try container.encode(duration.milliseconds, forKey: .durationMilliseconds)
        try container.encode(dryRun, forKey: .dryRun)
        try container.encode(outcome, forKey: .outcome)
        try container.encode(rules, forKey: .rules)
        try container.encode(reclaims, forKey: .reclaims)
    }
}

extension RuleReport: Encodable {
    /// Scripts read these: they stay.
    enum CodingKeys: String, CodingKey {
        case rule, store, table, cutoff, outcome, expired, deleted
        case dependentsDeleted = "dependents_deleted"
        case keptImplausible = "kept_implausible"
        case batches
        case longestBatchMilliseconds = "longest_batch_ms"
        case durationMilliseconds = "duration_ms"
        case accessPath = "access_path"
        case waitsFor = "waits_for"
        case reason, hint
    }

    /// Encodes every key; what is not known is null.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(rule.description, forKey: .rule)
        try container.encode(store.description, forKey: .store)
        try container.encode(table, forKey: .table)
        try container.encode(cutoff.iso8601, forKey: .cutoff)
        try container.encode(outcome, forKey: .outcome)
        try container.encode(expired, forKey: .expired)
        try container.encode(deleted, forKey: .deleted)
        try container.encode(dependentsDeleted, forKey: .dependentsDeleted)
        try container.encode(keptImplausible, forKey: .keptImplausible)
        try container.encode(batches, forKey: .batches)
        try container.encode(longestBatch.milliseconds, forKey: .longestBatchMilliseconds)
        try container.encode(duration.milliseconds, forKey: .durationMilliseconds)
        try container.encode(accessPath, forKey: .accessPath)
        try container.encode(waitsFor, forKey: .waitsFor)
        try container.encode(failure?.reason, forKey: .reason)
        try container.encode(failure?.hint, forKey: .hint)
        try forecast?.encode(to: encoder)
    }
}

extension ReclaimReport: Encodable {
    /// Scripts read these: they stay.
    enum CodingKeys: String, CodingKey {
        case store, outcome
        case reclaimedBytes = "reclaimed_bytes"
        case freeBytes = "free_bytes"
        case steps
        case longestStepMilliseconds = "longest_step_ms"
        case durationMilliseconds = "duration_ms"
        case reason, hint
    }

    /// Encodes every key; what is not known is null.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(store.description, forKey: .store)
        try container.encode(outcome, forKey: .outcome)
        try container.encode(reclaimedBytes, forKey: .reclaimedBytes)
        try container.encode(freeBytes, forKey: .freeBytes)
        try container.encode(steps, forKey: .steps)
        try container.encode(longestStep.milliseconds, forKey: .longestStepMilliseconds)
        try container.encode(duration.milliseconds, forKey: .durationMilliseconds)
        try container.encode(failure?.reason, forKey: .reason)
        try container.encode(failure?.hint, forKey: .hint)
    }
}

extension Date {
    /// `2026-11-20T12:00:00Z`.
    package var iso8601: String { formatted(.iso8601) }
}

extension Duration {
    /// In milliseconds, to a tenth.
    package var milliseconds: Double { (self / .microseconds(100)).rounded() / 10 }
    /// In seconds.
    package var seconds: Double { self / .seconds(1) }
}
