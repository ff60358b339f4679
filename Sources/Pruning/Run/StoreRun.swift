import Retention

/// Runs the rules of one store in sequence, then reclaims its free pages, and prunes its archive.
package struct StoreRun: Sendable {
    package let store: any PrunableStore
    package let tasks: [PruneTask]
    package let settings: RunSettings
    let clock: RunClock
    package let control: RunControl
    let emit: @Sendable (PruneEvent) -> Void

    /// The reports of the store's rules, of those on its archive, and of its reclaim if there is something to report; and
    /// what is seen of the store then.
    package typealias Reports = (
        rules: [RuleReport], archived: [RuleReport], reclaim: ReclaimReport?, remarks: [StoreRemark],
        space: FreeSpace?
    )

    /// The archive of the store; nil if it has none.
    private var archive: (any PrunableStore)? { settings.archive(store.definition.name) }

    /// What is done in the archive, after all rules, because what they archived counts.
    var archiveTasks: [PruneTask] {
        guard !settings.dryRun, let start = tasks.first?.start, archive != nil else { return [] }
        return ArchivePruning.tasks(at: start)
    }

    package func execute() -> Reports {
        var reports = executeRules()
        reports.archived = pruneArchive()
        return reports
    }

    /// The first part: the store itself.
    package func executeRules() -> Reports {
        guard store.exists() else { return (tasks.map { finish(reportWithoutStore($0)) }, [], nil, [], nil) }
        let claim: (any StoreClaim)?
        do throws(Halt) {
            claim = settings.dryRun ? nil : try claimStore()
        } catch {
            let reports = tasks.map { RuleReport($0, halted: error, stopReason: control.stopReason) }
            return (reports.map(finish), [], nil, [], nil)
        }
        defer { claim?.release() }
        let rules = executeTasks()
        let reclaim = mayReclaim(after: rules) ? reclaim() : nil
        let (remarks, space) = look(after: rules)
        return (rules, [], reclaim, remarks, space)
    }

    /// The second part. No event tells of it.
    package func pruneArchive() -> [RuleReport] {
        let tasks = archiveTasks
        guard let archive, !tasks.isEmpty, archive.exists(), control.stopReason == nil else { return [] }
        return StoreRun(
            store: archive, tasks: tasks, settings: settings, clock: clock, control: control, emit: { _ in }
        ).execute().rules
    }

    /// What the store says of itself after a run that changed it, and how large it is; a plan shows its size. That it cannot
    /// be asked is no news.
    private func look(after rules: [RuleReport]) -> (remarks: [StoreRemark], space: FreeSpace?) {
        let changed = Set(rules.filter { $0.deleted > 0 }.map(\.table))
        guard settings.dryRun ? settings.showsAges : !changed.isEmpty, control.stopReason == nil,
            let view = try? store.openView(control)
        else { return ([], nil) }
        defer { view.close() }
        let space = try? view.size()
        guard !settings.dryRun else { return ([], space) }
        let remarks = ((try? view.remarks(on: changed.sorted())) ?? []).map {
            StoreRemark(store.definition.name, $0)
        }
        for remark in remarks { emit(.remarked(remark)) }
        return (remarks, space)
    }

    private func mayReclaim(after rules: [RuleReport]) -> Bool {
        store.definition.reclaim && !settings.dryRun && control.stopReason == nil
            && !tasks.contains(where: clock.isOver)
            && !rules.contains { $0.failure.map(concernsStore) ?? false }
    }

    /// An obstacle in the archive alone, such as a full disk or a lock, does not concern rules that do not archive.
    private func concernsStore(_ failure: Halt) -> Bool {
        let archive = archive?.definition.place
        return failure.kind.concernsStore
            && (failure.place != archive || store.definition.place == archive)
    }

    private func reclaim() -> ReclaimReport? {
        let isQuiet = store.definition.isQuiet || tasks.contains(where: \.rule.isQuiet)
        return ReclaimRun(store: store, isQuiet: isQuiet, settings: settings, control: control, emit: emit)
            .execute()
    }

    private func reportWithoutStore(_ task: PruneTask) -> RuleReport {
        if settings.presumedEmpty.contains(store.definition.name) {
            var report = RuleReport(task)
            report.expired = 0
            report.kept = 0
            return report
        }
        return RuleReport(task, halted: Halt(.missingStore(at: store.definition.place)))
    }

    private func claimStore() throws(Halt) -> any StoreClaim {
        let patience = Patience(settings: settings, control: control) { error in
            if let first = tasks.first { emit(.waiting(first, error, isLong: false)) }
        }
        return try patience.keepTrying { () throws(StoreError) in try store.claim(control) }
    }

    /// If the store is damaged or stays busy for one rule, the following rules of this run are not tried.
    private func executeTasks() -> [RuleReport] {
        var reports: [RuleReport] = []
        var obstacle: Halt?
        var done: [PruneTask] = []
        let cameBack = settings.dryRun ? [:] : lookForReturnedRows()
        let obstacles = settings.dryRun ? writeObstacles() : (nil, nil)
        for var task in tasks {
            if settings.dryRun { task.presumedDone = done }
            var report: RuleReport
            if let obstacle {
                report = RuleReport(task, halted: obstacle.meeting(task), stopReason: control.stopReason)
            } else if let reason = control.stopReason {
                let operation = RuleReport.operation(task.rule.name)
                report = RuleReport(
                    task, halted: .stopRequested(reason, during: operation, at: store.definition.place))
            } else {
                report = RuleRun(
                    task: task, isLast: reports.count == tasks.count - 1, store: store, settings: settings,
                    clock: clock, control: control, emit: emit
                ).execute()
                obstacle = report.failure.flatMap { concernsStore($0) ? $0 : nil }
                report.meet(obstacles, of: task)
            }
            report.cameBack = cameBack[task.rule.name]
            if report.outcome == .done { done.append(task) }
            reports.append(finish(report))
        }
        return reports
    }

    /// Why a run could not write to the store, and to the archive. A dry run asks, since it claims and writes nothing.
    private func writeObstacles() -> WriteObstacles {
        let patience = Patience(settings: settings, control: control)
        func obstacle(_ store: any PrunableStore) -> Halt? {
            do throws(Halt) {
                try patience.keepTrying { () throws(StoreError) in try store.checkAccess() }
                return nil
            } catch {
                return error
            }
        }
        return (obstacle(store), archive.flatMap { $0.exists() ? obstacle($0) : nil })
    }

    /// How many rows of each rule came back, before any rule deletes one of them again. A rule is left out if that cannot
    /// be found out, which is no reason not to run it.
    private func lookForReturnedRows() -> [Name: Int64] {
        var cameBack: [Name: Int64] = [:]
        let patience = Patience(settings: settings, control: control)
        for task in tasks where task.rule.isLookedFor && control.stopReason == nil {
            cameBack[task.rule.name] = try? patience.keepTrying { () throws(StoreError) in
                let view = try store.openView(control)
                defer { view.close() }
                return try view.cameBack(of: task)
            }
        }
        return cameBack
    }

    private func finish(_ report: RuleReport) -> RuleReport {
        emit(.ruleFinished(report))
        return report
    }
}

/// Why a run could not write to a store, and to the archive; nil where it could.
private typealias WriteObstacles = (store: Halt?, archive: Halt?)

extension RuleReport {
    /// Ends a rule of a dry run as its run would end. Its counts stay.
    fileprivate mutating func meet(_ obstacles: WriteObstacles, of task: PruneTask) {
        let archive = task.rule.archiveKeep != nil && progress.expired ?? 0 > 0 ? obstacles.archive : nil
        guard [.done, .held].contains(progress.outcome), let obstacle = obstacles.store ?? archive else {
            return
        }
        progress.held = nil
        end(with: obstacle, stopReason: nil)
    }
}

extension Halt {
    /// This halt for a task that was not tried because of it, with the task's own operation.
    func meeting(_ task: PruneTask) -> Halt {
        Halt(
            kind, operation: "run rule \(task.rule.name)", place: place, cause: cause, hint: hint,
            setting: setting)
    }
}

extension HaltKind {
    /// Whether every other rule of the store would meet the same halt.
    package var concernsStore: Bool {
        switch self {
        case .clock: true
        case .hold, .leases, .stopRequest, .limit: false
        case .fault(let fault):
            switch fault {
            case .busy, .pinned, .full, .inputOutput, .damaged, .missing, .replaced, .unknownSchema: true
            case .locked, .tooLarge, .tooSlow, .schema, .unsupported, .unsafe, .archiveFull,
                .leasesUnreadable,
                .interrupted, .other:
                false
            }
        }
    }
}
