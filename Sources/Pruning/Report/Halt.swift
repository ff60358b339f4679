import Retention

/// Why a rule, a reclaim or a restore ended early: a fault of a store, or a decision.
package typealias Halt = Explained<HaltKind>

package enum HaltKind: Codable, Hashable, Sendable {
    /// A store reported an error.
    case fault(StoreError.Kind)
    /// A guard stopped the rule, and a person must confirm it.
    case hold
    /// The leases of restored rows cannot be read, so it is not known which rows must stay.
    case leases
    /// The system's clock cannot be believed, so no age can be judged.
    case clock
    /// Somebody asked the run to stop.
    case stopRequest
    /// The rule's hours ended, or its run took as long as it may.
    case limit
}

extension Halt {
    /// A fault of a store. Unreadable leases do not count as one: the rule waits until they end.
    package init(_ error: StoreError) {
        self.init(
            error.kind == .leasesUnreadable ? .leases : .fault(error.kind), operation: error.operation,
            place: error.place, cause: error.cause, hint: error.hint, setting: error.setting)
    }

    func isFault(_ kinds: StoreError.Kind...) -> Bool {
        if case .fault(let kind) = kind { kinds.contains(kind) } else { false }
    }

    /// The outcome of the halted work.
    var outcome: Outcome {
        switch kind {
        case .hold, .leases, .clock: .held
        case .stopRequest, .limit: .stopped
        case .fault(let fault):
            switch fault {
            case .busy, .locked, .missing: .skipped
            case .archiveFull, .leasesUnreadable: .held
            case .interrupted, .pinned: .stopped
            case .full, .tooLarge, .tooSlow, .inputOutput, .damaged, .replaced, .schema, .unknownSchema,
                .unsupported, .unsafe, .other:
                .failed
            }
        }
    }

    /// This halt, or the stop request if there was one. A store that was busy or interrupted after the request is not
    /// the reason why the work ended.
    func meeting(stopReason: String?, during operation: String) -> Halt {
        guard let stopReason, isFault(.busy) || outcome == .stopped else { return self }
        return .stopRequested(stopReason, during: operation, at: place)
    }

    /// The clock cannot be believed, so the rule does not run, or ends.
    static func clockDoubted(_ doubt: ClockDoubt, at place: String, program: String) -> Halt {
        Halt(
            .clock, operation: "tell what has expired", place: place, cause: doubt.cause,
            hint: "runs continue once the clock is right; if it is right now, run"
                + " `\(program) --run-now --trust-clock`")
    }

    /// A stop was requested during `operation`.
    static func stopRequested(_ reason: String, during operation: String, at place: String) -> Halt {
        Halt(
            .stopRequest, operation: operation, place: place, cause: reason,
            hint: "the next run goes on where this one ended")
    }
}

extension Halt {
    /// The rule met the end of its hours, or its longest run: `cause` says which.
    static func limitMet(_ cause: String, by rule: Name, at place: String) -> Halt {
        Halt(
            .limit, operation: RuleReport.operation(rule), place: place, cause: cause,
            hint: "the next run goes on where this one ended")
    }
}

/// What must happen before a rule deletes anything again. The names are part of reports and of `pruned status --json`,
/// so they must not change.
package enum WaitReason: String, Codable, Sendable {
    /// A person confirms the hold.
    case confirmation
    /// The archive has room again.
    case archive
    /// The leases of restored rows end.
    case leases
    /// The clock is believed again.
    case clock
    /// The service retries the rule, within ten minutes.
    case retry
    /// The time for its next run comes: it met the end of its hours, or its longest run.
    case nextRun = "next_run"
}

extension WaitReason {
    /// What the halted rule waits for; nil where it waits for nothing.
    init?(_ halt: Halt?) {
        switch halt?.kind {
        case .hold: self = .confirmation
        case .fault(.archiveFull): self = .archive
        case .leases: self = .leases
        case .clock: self = .clock
        case .limit: self = .nextRun
        default: return nil
        }
    }

    /// Whether the archive is the obstacle. No confirmation and no clock correction removes it.
    var isOfArchive: Bool { self == .archive || self == .leases }
}
