import Retention

/// Why a rule, a reclaim or a restore ended before its work was done: a fault of a store, or a decision.
package struct Halt: Error, Equatable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// A store did not do what was asked of it.
        case fault(StoreError.Kind)
        /// A guard stopped the rule, and a person must confirm it.
        case hold
        /// Rows that were put back must stay, and which others stay with them is not known.
        case leases
        /// The system's clock cannot be believed, so no age can be judged.
        case clock
        /// Somebody asked the run to stop.
        case stopRequest
    }

    package let kind: Kind
    /// What was tried: "run rule timeline".
    package let operation: String
    /// Where: the place of the store.
    package let place: String
    /// Why it ended.
    package let cause: String
    /// What a person can do about it.
    package let hint: String?

    package init(_ kind: Kind, operation: String, place: String, cause: String, hint: String? = nil) {
        self.kind = kind
        self.operation = operation
        self.place = place
        self.cause = cause
        self.hint = hint
    }

    /// A fault of a store. Leases that cannot be read are none of its: the rule waits until they are over.
    package init(_ error: StoreError) {
        self.init(
            error.kind == .leasesUnreadable ? .leases : .fault(error.kind), operation: error.operation,
            place: error.place, cause: error.cause, hint: error.hint)
    }

    /// One line: what, where and why.
    package var reason: String { "cannot \(operation) in \(place): \(cause)" }

    func isFault(_ kinds: StoreError.Kind...) -> Bool {
        if case .fault(let kind) = kind { kinds.contains(kind) } else { false }
    }
}

extension Halt: CustomStringConvertible {
    /// ``reason``, with the hint where there is one.
    package var description: String { hint.map { "\(reason); \($0)" } ?? reason }
}

extension Halt {
    /// How the work ended that this halted.
    var outcome: Outcome {
        switch kind {
        case .hold, .leases, .clock: .held
        case .stopRequest: .stopped
        case .fault(let fault):
            switch fault {
            case .busy, .unsupported, .missing: .skipped
            case .archiveFull, .leasesUnreadable: .held
            case .interrupted, .pinned: .stopped
            case .full, .tooLarge, .tooSlow, .inputOutput, .damaged, .replaced, .schema, .unsafe, .other:
                .failed
            }
        }
    }

    /// The same where a stop was requested meanwhile: a store that was busy by then, or interrupted, is not why the work
    /// ended. The request is.
    func meeting(stopReason: String?, during operation: String) -> Halt {
        guard let stopReason, isFault(.busy) || outcome == .stopped else { return self }
        return .stopRequested(stopReason, during: operation, at: place)
    }

    /// The rule does not run, or ends, because the clock cannot be believed.
    static func clockDoubted(_ doubt: ClockDoubt, at place: String, program: String) -> Halt {
        Halt(
            .clock, operation: "tell what has expired", place: place, cause: doubt.cause,
            hint: "runs continue once the clock is right; if it is right now, run"
                + " `\(program) --run-now --trust-clock`")
    }

    /// Whatever was going on ends because somebody asked the run to stop.
    static func stopRequested(_ reason: String, during operation: String, at place: String) -> Halt {
        Halt(
            .stopRequest, operation: operation, place: place, cause: reason,
            hint: "the next run goes on where this one ended")
    }
}

/// What a rule waits for that deletes nothing before that has happened. The names are those of reports and of
/// `pruned status --json`: they stay.
package enum WaitReason: String, Codable, Sendable {
    /// A person confirms what is held.
    case confirmation
    /// The archive has room again.
    case archive
    /// Rows that were put back may go again.
    case leases
    /// The clock is believed again.
    case clock
    /// The service tries once more what failed, within ten minutes.
    case retry
}

extension WaitReason {
    /// What a rule waits for that this has halted; nil where it waits for nothing.
    init?(_ halt: Halt?) {
        switch halt?.kind {
        case .hold: self = .confirmation
        case .fault(.archiveFull): self = .archive
        case .leases: self = .leases
        case .clock: self = .clock
        default: return nil
        }
    }

    /// Whether it passes without a person who confirms anything, and without a clock: no confirmation helps.
    var isOfArchive: Bool { self == .archive || self == .leases }
}
