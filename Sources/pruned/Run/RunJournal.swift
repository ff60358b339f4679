import Logging
import Pruning

/// Logs the events of a run, with the journal's fields. Each rule that did something, and each store that gave space
/// back, gets one message at notice. Rules that did nothing, and single batches, are logged at debug.
struct RunJournal: RunObserver {
    private let logger: Logger
    private let runID: RunID
    private let filter: RepeatFilter

    init(logger: Logger, runID: RunID, filter: RepeatFilter) {
        self.logger = logger
        self.runID = runID
        self.filter = filter
    }

    func observe(_ event: PruneEvent) {
        switch event {
        case .ruleStarted(let task, let expired, let accessPath):
            logger.debug(
                "\(task.rule.name): \(expired.grouped) expired rows, access path: \(accessPath.rawValue)",
                metadata: ["PRUNED_RUN_ID": "\(runID)", "PRUNED_RULE": "\(task.rule.name)"])
        case .confirmationTaken(let task, let seen):
            // If the rule is held again later, that is a new hold.
            filter.holds.forget(task.rule.name)
            logger.log(
                level: .notice, .confirmed,
                "\(task.rule.name): \(task.rule.action.infinitive)s \(seen.expired.grouped) of \(seen.rows.grouped) rows of"
                    + " \(task.rule.table), as confirmed",
                [
                    "PRUNED_RUN_ID": "\(runID)", "PRUNED_RULE": "\(task.rule.name)",
                    "PRUNED_STORE": "\(task.rule.store)",
                ])
        case .batchCommitted(let report, let batch):
            logger.debug(
                "\(report.rule): batch of \(batch.deleted) rows in \(batch.work.lockTime.text)",
                metadata: fields(report))
        case .waiting(let task, let error, let isLong):
            let isNew = filter.isNew(task.rule.name, "waiting", "\(error.kind) \(isLong)")
            logger.log(
                level: isNew ? (isLong ? .notice : .info) : .debug, "\(task.rule.name) waits: \(error.cause)",
                metadata: ["PRUNED_RUN_ID": "\(runID)", "PRUNED_RULE": "\(task.rule.name)"])
        case .ruleFinished(let report):
            record(report)
        case .reclaiming(let report):
            logger.debug("reclaiming \(ReclaimText(report).progress)", metadata: fields(report))
        case .reclaimFinished(let report):
            record(report)
        case .remarked(let remark):
            logger.notice(
                "\(remark.store): \(remark.text)",
                metadata: ["PRUNED_RUN_ID": "\(runID)", "PRUNED_STORE": "\(remark.store)"])
        }
    }

    private func record(_ report: ReclaimReport) {
        let state = "\(report.outcome) \(report.failure.map { "\($0.kind)" } ?? "")"
        let isNew = filter.isNew(report.store, "reclaim", state)
        let isTrouble = report.failure.map { $0.kind != .stopRequest } ?? false
        let hasDoneSomething = report.reclaimedBytes > 0
        logger.log(
            level: isTrouble && isNew ? .warning : hasDoneSomething ? .notice : .debug, .reclaimed,
            ReclaimText(report).message, hint: ReclaimText(report).hint, fields(report))
    }

    private func record(_ report: RuleReport) {
        let isNew = self.isNew(report)
        switch report.outcome {
        case .held where report.failure?.kind == .clock:
            log(report, .clockDoubted, isNew ? .warning : .debug)
        case .held: log(report, .ruleHeld, isNewHold(report) ? .warning : .debug)
        case .done, .stopped:
            let isPinned = report.failure?.kind == .fault(.pinned)
            let hasDoneSomething = report.deleted > 0 || report.outcome != .done || report.returned != nil
            log(report, .runFinished, isPinned ? .warning : hasDoneSomething ? .notice : .debug)
        case .skipped: log(report, .runSkipped, isNew ? .warning : report.deleted > 0 ? .notice : .debug)
        case .failed: log(report, .runFailed, isNew ? .error : .debug)
        }
        if report.outcome == .done { filter.holds.forget(report.rule) }
        recordImplausible(report)
    }

    private func isNewHold(_ report: RuleReport) -> Bool {
        if let held = report.held { return filter.holds.isNew(report.rule, held) }
        let state = "\(report.failure?.kind ?? .hold)"
        return filter.isNew(report.rule, "hold", state, again: HoldRepeatFilter.interval)
    }

    /// Whether the outcome is new. A problem of the store is logged once, not for each of its rules.
    private func isNew(_ report: RuleReport) -> Bool {
        let state = "\(report.outcome) \(report.failure.map { "\($0.kind)" } ?? "")"
        let isNewOfRule = filter.isNew(report.rule, "outcome", state)
        guard report.failure?.kind.concernsStore ?? true else { return isNewOfRule }
        return filter.isNew(report.store, "store", state)
    }

    private func log(_ report: RuleReport, _ event: JournalEvent, _ level: Logger.Level) {
        let dependents =
            report.dependentsDeleted > 0 ? " and \(report.dependentsDeleted.grouped) dependents" : ""
        let did =
            "\(report.marks ? "marked" : "deleted") \(report.deleted.grouped)\(dependents) in \(report.duration.text)"
        let why = report.failure.map { explanation(of: report.outcome, $0) }
        let left = report.metLimit ? report.left.map { "\($0.grouped) expired rows are left" } : nil
        let parts =
            (why != nil && report.deleted == 0 ? [why] : [did, why]) + [left, report.returned?.text]
        let message = "\(report.rule): " + parts.compactMap(\.self).joined(separator: "; ")
        let hint = report.failure == nil ? report.returned?.hint : report.failure?.hint
        logger.log(level: level, event, message, hint: hint, fields(report))
    }

    /// The explanation of an outcome. After a stop request, its cause is enough. A wrong clock concerns all rules.
    private func explanation(of outcome: Outcome, _ failure: Halt) -> String {
        if failure.kind == .clock {
            return "nothing is pruned: \(failure.cause)"
        }
        return [.stopRequest, .limit].contains(failure.kind)
            ? failure.cause : "\(outcome.rawValue): \(failure.reason)"
    }

    private func recordImplausible(_ report: RuleReport) {
        let count = report.keptImplausible
        guard filter.isNew(report.rule, "implausible", "\(count)"), count > 0 else { return }
        logger.log(
            level: .warning, .implausible,
            "\(report.rule): \(count.grouped) rows of \(report.table) stay: \(ReportText.noTime)",
            fields(report))
    }

    private func fields(_ report: ReclaimReport) -> Logger.Metadata {
        [
            "PRUNED_RUN_ID": "\(runID)",
            "PRUNED_STORE": "\(report.store)",
            "PRUNED_RECLAIMED": "\(report.reclaimedBytes)",
            "PRUNED_DURATION_USEC": "\(Int64(report.duration / .microseconds(1)))",
            "PRUNED_OUTCOME": "\(report.outcome.rawValue)",
        ]
    }

    private func fields(_ report: RuleReport) -> Logger.Metadata {
        var fields: Logger.Metadata = [
            "PRUNED_RUN_ID": "\(runID)",
            "PRUNED_RULE": "\(report.rule)",
            "PRUNED_STORE": "\(report.store)",
            "PRUNED_DELETED": "\(report.deleted)",
            "PRUNED_DURATION_USEC": "\(Int64(report.duration / .microseconds(1)))",
            "PRUNED_OUTCOME": "\(report.outcome.rawValue)",
        ]
        if let cameBack = report.cameBack { fields["PRUNED_CAME_BACK"] = "\(cameBack)" }
        return fields
    }
}
