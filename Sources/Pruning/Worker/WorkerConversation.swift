import FoundationEssentials
import Retention

/// Takes what a worker process tells of one store's run, and makes the run's events and reports of it.
///
/// A worker has opened files of others, so what it tells is data: whatever it is, it concerns the rules of this store alone.
/// The names and the tasks are those of the job.
package struct WorkerConversation: WorkerConversing {
    private let run: StoreRun
    private var reports: [Name: RuleReport] = [:]
    private var ended: [Name: RuleReport] = [:]
    private var archived: [RuleReport] = []
    private var reclaim: ReclaimReport?
    private var remarks: [StoreRemark] = []
    private var space: FreeSpace?
    /// The confirmed deletions that have begun, and how many of their rows are left.
    private var rests: [Name: (rest: any ConfirmedRest, left: Int64)] = [:]
    private var stuck: (rule: Name?, error: StoreError)?
    /// Whether the worker has said that it is done with the store.
    private var isAtArchive = false
    /// Whether it has said that it is done.
    private var isOver = false

    private static let mostRemarks = 100

    package init(_ run: StoreRun) { self.run = run }

    package mutating func isStuck(_ stuck: StuckWork) {
        let isKnown = run.tasks.contains { $0.rule.name == stuck.rule && ended[$0.rule.name] == nil }
        self.stuck = (isKnown ? stuck.rule : nil, stuck.error)
    }

    package mutating func take(_ message: WorkerMessage) throws(WorkerFault) -> WorkerAnswer? {
        guard !isOver else { throw .disorder }
        switch message {
        case .alive, .at: break
        case .reclaiming where isAtArchive, .reclaimed where isAtArchive, .remark where isAtArchive:
            throw .disorder
        case .started(let rule, let expired, let accessPath):
            let task = try task(rule, expired.isCount)
            var report = RuleReport(task)
            (report.expired, report.accessPath) = (expired, accessPath)
            reports[rule] = report
            run.emit(.ruleStarted(task, expired: expired, accessPath: accessPath))
        case .confirmationTaken(let rule, let seen):
            let task = try task(rule, seen.expired.isCount && seen.rows.isCount)
            guard rests[rule] != nil else { throw .disorder }
            run.emit(.confirmationTaken(task, held(seen, by: task)))
        case .batch(let rule, let progress, let batch):
            let report = try report(rule, progress)
            guard batch.isPlausible else { throw .disorder }
            reports[rule] = report
            run.emit(.batchCommitted(report, batch))
        case .waiting(let rule, let error, let isLong):
            run.emit(.waiting(try task(rule), error.cleaned, isLong: isLong))
        case .ruleEnded(let rule, let progress, let ages): end(try report(rule, progress, ages))
        case .reclaiming(let state):
            let report = try report(state)
            reclaim = report
            run.emit(.reclaiming(report))
        case .reclaimed(let state): run.emit(.reclaimFinished(try report(state)))
        case .remark(let text):
            guard remarks.count < Self.mostRemarks else { throw .disorder }
            let remark = StoreRemark(run.store.definition.name, text.cleaned)
            remarks.append(remark)
            run.emit(.remarked(remark))
        case .begins(let rule, let rows): return try begin(rule, rows)
        case .gone(let rule, let rows):
            guard let (rest, left) = rests[rule], (0...left).contains(rows.rows) else { throw .disorder }
            rests[rule]?.left -= rows.rows
            return answer { () throws(StoreError) in
                try rest.take(rows)
                return true
            }
        case .forget(let rule):
            let task = try task(rule, run.settings.memory.confirmed[rule] != nil && rests[rule] == nil)
            return answer { () throws(StoreError) in
                try run.settings.holds?.forget(task.rule.name)
                return true
            }
        case .answer: throw .disorder
        case .end(let state, let space):
            guard ended.count == run.tasks.count, !isAtArchive else { throw .disorder }
            if let space { self.space = space.isPlausible ? space : nil }
            reclaim = try state.map { state throws(WorkerFault) in try report(state) }
            isAtArchive = true
        case .archived(let rule, let progress): archived.append(try archiveReport(rule, progress))
        case .over:
            guard isAtArchive else { throw .disorder }
            isOver = true
        }
        return nil
    }

    /// The task of a rule of the job that has not ended. Throws also unless `isPlausible`.
    private func task(_ rule: Name, _ isPlausible: Bool = true) throws(WorkerFault) -> PruneTask {
        guard isPlausible, ended[rule] == nil, let task = run.tasks.first(where: { $0.rule.name == rule })
        else { throw .disorder }
        return task
    }

    private func report(
        _ rule: Name, _ progress: RuleProgress, _ ages: AgeProfile? = nil
    ) throws(WorkerFault) -> RuleReport {
        let task = try task(rule, ages.map { run.settings.showsAges && $0.isPlausible } ?? true)
        // What a batch has deleted is not taken back.
        guard var report = RuleReport(task).with(told: progress),
            report.deleted >= reports[rule]?.deleted ?? 0
        else { throw .disorder }
        report.held = progress.held.map { held($0, by: task) }
        report.failure = report.failure?.located(by: run.settings.origins)
        report.forecast = ages.map { Forecast(of: task, $0) }
        return report
    }

    private func archiveReport(
        _ rule: Name, _ progress: RuleProgress
    ) throws(WorkerFault) -> RuleReport {
        let task = run.archiveTasks.first { $0.rule.name == rule }
        guard isAtArchive, let task, var report = RuleReport(task).with(told: progress),
            !archived.contains(where: { $0.rule == rule })
        else { throw .disorder }
        report.held = nil
        return report
    }

    private func report(_ progress: ReclaimProgress) throws(WorkerFault) -> ReclaimReport {
        guard let report = ReclaimReport(run.store.definition.name).with(told: progress) else {
            throw .disorder
        }
        return report
    }

    /// What a guard held: the worker's numbers, of the job's rule.
    private func held(_ seen: HeldRule, by task: PruneTask) -> HeldRule {
        var held = HeldRule(
            task.rule, place: run.store.definition.place, cutoff: task.cutoff, timeZone: task.timeZone,
            expired: seen.expired, rows: seen.rows, change: run.settings.memory.change(of: task),
            identity: seen.identity?.cleaned)
        held.shown = seen.shown
        return held
    }

    private mutating func begin(_ rule: Name, _ rows: RowsFingerprint) throws(WorkerFault) -> WorkerAnswer {
        let task = try task(rule, rows.rows.isCount && rests[rule] == nil)
        guard let holds = run.settings.holds, let hold = run.settings.memory.confirmed[rule] else {
            throw .disorder
        }
        var rest: (any ConfirmedRest)?
        let answer = answer { () throws(StoreError) in
            rest = try holds.begin(rule, by: hold, of: rows, at: task.start)
            return rest != nil
        }
        rests[rule] = rest.map { ($0, rows.rows) }
        return answer
    }

    private func answer(_ body: () throws(StoreError) -> Bool) -> WorkerAnswer {
        do throws(StoreError) { return try body() ? .ok : .no } catch { return .failed(error) }
    }

    private mutating func end(_ report: RuleReport) {
        ended[report.rule] = report
        run.emit(.ruleFinished(report))
    }

    /// The reports of the run. If the worker is not over with its job, its rules failed because it ended like this.
    package mutating func finish(unlessOver ending: WorkerEnd) -> StoreRun.Reports {
        func halt(_ operation: String, at place: String) -> Halt {
            Halt(stuck?.error ?? .lostWorker(ending, during: operation, at: place))
        }
        let left = run.tasks.filter { ended[$0.rule.name] == nil }
        if !left.isEmpty {
            let failure = halt("run the rules", at: run.store.definition.place)
            // The rule that was at work, then those that were not tried because of it.
            let first =
                stuck?.rule ?? left.first { reports[$0.rule.name] != nil }?.rule.name ?? left[0].rule.name
            for task in left {
                let isFirst = task.rule.name == first
                var report = reports[task.rule.name] ?? RuleReport(task)
                report.end(
                    with: isFirst ? failure : failure.meeting(task), stopReason: run.control.stopReason)
                end(report)
            }
        }
        if isAtArchive, !isOver || stuck != nil, let task = run.archiveTasks.first {
            let place = run.settings.archive(run.store.definition.name)?.definition.place ?? ""
            archived = [
                RuleReport(
                    task, halted: halt("prune the archive", at: place), stopReason: run.control.stopReason)
            ]
        }
        // Its rules had ended, and it gave space back.
        if left.isEmpty, !isAtArchive, run.store.definition.reclaim, !run.settings.dryRun {
            var report = reclaim ?? ReclaimReport(run.store.definition.name)
            report.end(
                with: halt(ReclaimReport.operation, at: run.store.definition.place),
                stopReason: run.control.stopReason)
            run.emit(.reclaimFinished(report))
            reclaim = report
        }
        return (run.tasks.compactMap { ended[$0.rule.name] }, archived, reclaim, remarks, space)
    }
}

/// How a worker process ended, or that it never began.
package struct WorkerEnd: Equatable, Sendable {
    /// To follow "its worker process".
    package let text: String
    /// Whether a stop was asked for, and it did not begin, or did not end by itself.
    package let isOfStop: Bool

    package init(_ text: String, isOfStop: Bool = false) { (self.text, self.isOfStop) = (text, isOfStop) }
}

extension StoreError {
    /// The error for a store whose worker process ended before its work.
    package static func lostWorker(
        _ end: WorkerEnd, during operation: String, at place: String
    ) -> StoreError {
        StoreError(
            end.isOfStop ? .interrupted : .other, operation: operation, place: place,
            cause: "its worker process \(end.text); what it had not committed is as before",
            hint:
                "other stores are not concerned; the manual page pruned-safety(7) says what a worker process may do"
        )
    }
}

extension StoreError {
    /// The error for a store whose worker process answered another question than it was asked.
    package static func strangeAnswer(at place: String) -> StoreError {
        .lostWorker(WorkerEnd("told what cannot be"), during: "look at the store", at: place)
    }

    /// The error for a store whose worker process had no time to look at it.
    package static func unanswered(by store: StoreDefinition) -> StoreError {
        StoreError(
            .interrupted, operation: "look at the store", place: store.place,
            cause: "it did not answer in time")
    }
}

extension BatchResult {
    fileprivate var isPlausible: Bool {
        [deleted, work.changed, work.dependents, Int64(work.visited)].allSatisfy(\.isCount)
            && [work.lockTime, work.commit, work.effort ?? .zero].allSatisfy(\.isSpan)
    }
}

extension AgeProfile {
    fileprivate var isPlausible: Bool {
        let counts = [census.expired, census.implausible, dependents ?? 0, never, rows]
        return (counts + stay.rows.values + self.counts.map(\.rows) + staying.map(\.rows))
            .allSatisfy(\.isCount)
            && (1...1 << 40).contains(grain)
            && refusing.names.allSatisfy { $0 == $0.cleaned }
    }
}
