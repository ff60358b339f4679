import DefaultStore
import Pruning

/// The exit status of the process. The numbers are from sysexits.h where it has one.
enum ExitStatus: Int32, CaseIterable {
    case done = 0
    case failed = 1
    case held = 3
    case usage = 64
    case damaged = 65
    case inputOutput = 74
    case busy = 75
    case configuration = 78

    var meaning: String {
        switch self {
        case .done: "done"
        case .failed: "a rule failed"
        case .held: "a rule is held"
        case .usage: "usage"
        case .damaged: "store damaged or not a database"
        case .inputOutput: "input/output"
        case .busy: "store busy, another run uses it, or the run was stopped: try again"
        case .configuration: "configuration"
        }
    }

    static var help: String {
        "Exit status: " + allCases.map { "\($0.rawValue) \($0.meaning)" }.joined(separator: "; ") + "."
    }
}

extension ExitStatus {
    /// The exit status of a run: that of its worst rule.
    init(_ report: PruneReport) {
        // What met its limit goes on in the next run, as the configuration has it.
        let rules = report.rules.filter { !$0.metLimit }
        let outcome = rules.map(\.outcome).max()
        let worst = rules.filter { $0.outcome == outcome }
        let statuses = worst.map { rule -> ExitStatus in
            switch rule.outcome {
            case .done: .done
            case .held: .held
            case .stopped: .busy
            case .skipped, .failed: rule.failure.map { ExitStatus($0.kind) } ?? .failed
            }
        }
        // A store may be damaged where no rule has met it.
        let damages = report.reclaims.compactMap { $0.failure.map { ExitStatus($0.kind) } }
            .filter { $0 == .damaged }
        // Of several failures, the one that a person must look into first.
        self =
            [.damaged, .inputOutput, .failed].first(where: (damages + statuses).contains) ?? statuses.first
            ?? .done
    }

    /// The exit status of `pruned status`: that of the worst state it shows.
    init(_ report: StatusReport) {
        let missing = Set(report.stores.filter { !$0.exists }.map(\.name.description))
        let rules = report.rules.map { rule -> ExitStatus in
            switch rule.state {
            case .new, .done, .confirmed, .running: .done
            case .held: .held
            case .stopped where rule.waitsForNextRun: .done
            case .stopped, .interrupted: .busy
            case .skipped: rule.store.map(missing.contains) ?? false ? .inputOutput : .busy
            case .failed, .unfit: .failed
            }
        }
        let stores = report.stores.compactMap { $0.failure.map { ExitStatus($0.kind) } }
        let others: [ExitStatus] = [
            report.refusal == nil ? .done : .configuration, report.clockDoubt == nil ? .done : .held,
        ]
        let all = rules + stores + others
        self = Self.worstFirst.first(where: all.contains) ?? .done
    }

    /// In the order in which a person must look into them.
    private static let worstFirst: [ExitStatus] = [
        .configuration, .damaged, .inputOutput, .failed, .busy, .held,
    ]

    init(_ kind: StoreError.Kind) {
        self =
            switch kind {
            case .damaged: .damaged
            case .full, .inputOutput, .missing: .inputOutput
            case .busy, .locked, .pinned, .interrupted: .busy
            case .archiveFull, .leasesUnreadable: .held
            case .tooLarge, .tooSlow, .replaced, .schema, .unknownSchema, .unsupported, .unsafe, .other:
                .failed
            }
    }

    init(_ kind: Halt.Kind) {
        self =
            switch kind {
            case .fault(let fault): ExitStatus(fault)
            case .hold, .leases, .clock: .held
            case .stopRequest: .busy
            case .limit: .done
            }
    }

    init(_ kind: ReaderStoreError.Kind) {
        self =
            switch kind {
            case .busy: .busy
            case .damaged, .foreign, .newer: .damaged
            case .inputOutput, .moved: .inputOutput
            case .exists, .missing, .invalid, .misuse: .failed
            }
    }
}
