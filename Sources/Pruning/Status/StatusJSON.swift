import FoundationEssentials

extension StatusReport: Encodable {
    /// Scripts read these: they stay.
    enum CodingKeys: String, CodingKey {
        case at
        case timeZone = "time_zone"
        case configuration
        case dropIns = "drop_ins"
        case configurationReason = "configuration_reason"
        case configurationHint = "configuration_hint"
        case inForceSince = "in_force_since"
        case stateDirectory = "state_directory"
        case damaged
        case isServing = "service_running"
        case clockReason = "clock_reason"
        case clockCommand = "clock_command"
        case rules, holds, stores
        case deletedPerDay = "deleted_per_day"
    }

    /// Encodes every key; what is not known is null. Times are ISO 8601 in UTC, durations milliseconds.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(at.iso8601, forKey: .at)
        try container.encode(timeZone.identifier, forKey: .timeZone)
        try container.encode(configuration, forKey: .configuration)
        try container.encode(dropIns, forKey: .dropIns)
        try container.encode(refusal?.reason, forKey: .configurationReason)
        try container.encode(refusal?.hint, forKey: .configurationHint)
        try container.encode(inForceSince?.iso8601, forKey: .inForceSince)
        try container.encode(stateDirectory, forKey: .stateDirectory)
        try container.encode(damaged, forKey: .damaged)
        try container.encode(isServing, forKey: .isServing)
        try container.encode(clockDoubt?.cause, forKey: .clockReason)
        try container.encode(clockCommand, forKey: .clockCommand)
        try container.encode(rules, forKey: .rules)
        try container.encode(holds, forKey: .holds)
        try container.encode(stores, forKey: .stores)
        try container.encode(deletions.days, forKey: .deletedPerDay)
    }

    /// The report as one JSON object on one line, with sorted keys.
    package func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}

extension RuleStatus: Encodable {
    /// Scripts read these: they stay.
    enum CodingKeys: String, CodingKey {
        case rule, store, table, state
        case lastRun = "last_run_at"
        case deleted
        case dependentsDeleted = "dependents_deleted"
        case durationMilliseconds = "duration_ms"
        case isDue = "due"
        case nextRun = "next_run_at"
        case waitsFor = "waits_for"
        case reason, hint
    }

    /// Encodes every key; what is not known, or has no meaning for the state, is null.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(rule.description, forKey: .rule)
        try container.encode(store, forKey: .store)
        try container.encode(table, forKey: .table)
        try container.encode(state, forKey: .state)
        try container.encode(lastRun?.iso8601, forKey: .lastRun)
        try container.encode(deleted, forKey: .deleted)
        try container.encode(dependentsDeleted, forKey: .dependentsDeleted)
        try container.encode(took?.milliseconds, forKey: .durationMilliseconds)
        try container.encode(next == .now, forKey: .isDue)
        var (date, obstacle): (Date?, Obstacle?)
        switch next {
        case .at(let instant): date = instant
        case .waits(let what): obstacle = what
        case .now, nil: break
        }
        try container.encode(date?.iso8601, forKey: .nextRun)
        try container.encode(obstacle, forKey: .waitsFor)
        try container.encode(reason, forKey: .reason)
        try container.encode(hint, forKey: .hint)
    }
}

extension HoldStatus: Encodable {
    /// Scripts read these: they stay.
    enum CodingKeys: String, CodingKey {
        case rule, since, expired, rows
        case cutoffDay = "cutoff_day"
        case waitsFor = "waits_for"
        case reason, hint
        case confirmedAt = "confirmed_at"
        case commands
    }

    /// Encodes every key; what is not known is null.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(rule.description, forKey: .rule)
        try container.encode(since.iso8601, forKey: .since)
        try container.encode(seen?.expired, forKey: .expired)
        try container.encode(seen?.rows, forKey: .rows)
        try container.encode(seen?.cutoffDay, forKey: .cutoffDay)
        try container.encode(waitsFor, forKey: .waitsFor)
        try container.encode(cause, forKey: .reason)
        try container.encode(hint, forKey: .hint)
        try container.encode(confirmedAt?.iso8601, forKey: .confirmedAt)
        try container.encode(commands, forKey: .commands)
    }
}

extension StateDamage: Encodable {
    /// Scripts read these: they stay.
    enum CodingKeys: String, CodingKey {
        case path, reason, hint
    }

    /// Encodes every key.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(path, forKey: .path)
        try container.encode(reason, forKey: .reason)
        try container.encode(hint, forKey: .hint)
    }
}

extension StoreStatus: Encodable {
    /// Scripts read these: they stay.
    enum CodingKeys: String, CodingKey {
        case store, path, exists, bytes
        case freeBytes = "free_bytes"
        case runBy = "run_by"
        case reason, hint
    }

    /// Encodes every key; what is not known is null.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name.description, forKey: .store)
        try container.encode(path, forKey: .path)
        try container.encode(exists, forKey: .exists)
        try container.encode(space.map { $0.bytes }, forKey: .bytes)
        try container.encode(space.map { $0.freeBytes }, forKey: .freeBytes)
        try container.encode(holder, forKey: .runBy)
        try container.encode(failure?.reason, forKey: .reason)
        try container.encode(failure?.hint, forKey: .hint)
    }
}
