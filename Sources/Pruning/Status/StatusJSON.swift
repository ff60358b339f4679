import FoundationEssentials

extension StatusReport: JSONObject {
    package var members: [String: any Encodable] {
        [
            "at": at,
            "time_zone": timeZone.identifier,
            "configuration": configuration,
            "drop_ins": dropIns,
            "configuration_reason": refusal?.reason,
            "configuration_hint": refusal?.hint,
            "in_force_since": inForceSince,
            "state_directory": stateDirectory,
            "damaged": damaged,
            "service_running": isServing,
            "clock_reason": clockDoubt?.cause,
            "clock_command": clockCommand,
            "rules": rules,
            "holds": holds,
            "stores": stores,
            "remarks": remarks,
            "deleted_per_day": deletions.days,
            "sizes": sizes.sorted { $0.key < $1.key }.flatMap { name, days in
                days.map { StoreSizeOnDay(store: name, size: $0) }
            },
        ]
    }
}

/// A size with the name of its store.
private struct StoreSizeOnDay: Encodable {
    enum CodingKeys: String, CodingKey { case store }

    let store: String
    let size: SizeOnDay

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(store, forKey: .store)
        try size.encode(to: encoder)
    }
}

extension RuleStatus: JSONObject {
    package var members: [String: any Encodable] {
        var (date, obstacle): (Date?, WaitReason?)
        switch next {
        case .at(let instant): date = instant
        case .waits(let what): obstacle = what
        case .now, nil: break
        }
        return [
            "rule": rule.description,
            "store": store,
            "table": table,
            "state": state,
            "last_run_at": lastRun,
            "deleted": deleted,
            "dependents_deleted": dependentsDeleted,
            "came_back": cameBack,
            "duration_ms": took?.milliseconds,
            "progress": progress.map(ShownProgress.init),
            "due": next == .now,
            "next_run_at": date,
            "waits_for": obstacle ?? (waitsForNextRun ? WaitReason.nextRun : nil),
            "rows_left": backlog?.left,
            "deleted_per_day": deletions?.days.map(\.rows),
            "backlog_grows": backlog?.grows ?? false,
            "reason": reason,
            "hint": hint,
        ]
    }
}

private struct ShownProgress: JSONObject {
    let progress: RunProgress

    var members: [String: any Encodable] {
        [
            "done": progress.done, "expired": progress.all, "since": progress.since, "at": progress.at,
            "left_ms": progress.left?.milliseconds,
        ]
    }
}

extension HoldStatus: JSONObject {
    package var members: [String: any Encodable] {
        [
            "rule": rule.description,
            "since": since,
            "expired": seen?.expired,
            "rows": seen?.rows,
            "cutoff_day": seen?.cutoffDay,
            "waits_for": waitsFor,
            "reason": cause,
            "hint": hint,
            "confirmed_at": confirmedAt,
            "commands": commands,
        ]
    }
}

extension StateDamage: JSONObject {
    package var members: [String: any Encodable] { ["path": path, "reason": reason, "hint": hint] }
}

extension StoreStatus: JSONObject {
    package var members: [String: any Encodable] {
        [
            "store": name.description,
            "path": path,
            "exists": exists,
            "bytes": space?.bytes,
            "free_bytes": space?.freeBytes,
            "vacuum_bytes": vacuum?.bytes,
            "vacuum_ms": vacuum?.duration.milliseconds,
            "run_by": holder,
            "reason": failure?.reason,
            "hint": failure?.hint,
        ]
    }
}
