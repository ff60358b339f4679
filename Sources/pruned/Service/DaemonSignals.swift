import Dispatch
import FoundationEssentials
import Glibc
import Ledger
import Logging
import PolicyFile
import Pruning
import Retention
import Systemd

/// Handles the signals that the service receives.
extension Daemon {
    func receive(_ number: Int32, _ state: inout State) {
        switch number {
        case SIGHUP: reload(&state)
        case SIGUSR1:
            state.requested = Set(state.plan.policy.rules.map(\.name))
            state.atAnyTime = state.requested
            state.notBefore = [:]
            schedule(&state)
            startDueRuns(&state)
            search(&state)
        case SIGUSR2: runConfirmed(&state)
        default: break
        }
    }

    /// Runs the rules that a person has confirmed.
    private func runConfirmed(_ state: inout State) {
        let holds = ledger.readIfPossible(or: [:]) { try $0.holds() }
        for (rule, hold) in holds where hold.confirmedAt != nil { state.notBefore[rule] = nil }
        schedule(&state)
        startDueRuns(&state)
    }

    /// Stops the service, after the current batches.
    func stop(_ signal: String, _ state: inout State) {
        state.isStopping = true
        logger.log(level: .info, .stopping, "stopping: \(signal)")
        notifier.notify([.stopping, .status("Stopping")])
        state.plan.scheduler.cancel()
        for control in state.running.values { control.requestStop("stopped by \(signal)") }
        if state.running.isEmpty { ended.signal() }
    }

    /// Reads the configuration again, and looks at its stores: beside all else, as a store may be slow and a stop must not wait.
    private func reload(_ state: inout State) {
        guard !state.isStopping else { return }
        guard !state.isReloading else { return state.reloadsAgain = true }
        let began = SystemTime.monotonic()
        notifier.notify([
            .reloading(monotonicMicroseconds: UInt64(began / .microseconds(1))),
            .status("Reading the configuration"),
        ])
        do throws(Failure) {
            let plan = try ServicePlan(
                setup: setup, configuration: setup.readConfiguration(after: state.plan.configuration),
                queue: queue, wake: state.plan.wake)
            state.isReloading = true
            DispatchQueue(label: "pruned.reload").async {
                let plan = plan.searched(by: self.setup)
                let looked = Result { () throws(Failure) in try plan.lookAtStores() }
                self.queue.async { self.change { self.takeUp(plan, looked, began, &$0) } }
            }
        } catch {
            end(reload: error, began, &state)
        }
    }

    private func takeUp(
        _ plan: ServicePlan, _ looked: Result<Set<Name>, Failure>, _ began: Duration, _ state: inout State
    ) {
        guard !state.isStopping else { return }
        state.isReloading = false
        let obstructed: Set<Name>
        switch looked {
        case .success(let rules): obstructed = rules
        case .failure(let refusal): return end(reload: refusal, began, &state)
        }
        let change = ConfigurationChange(from: state.plan.configuration, to: plan.configuration)
        state.plan.scheduler.cancel()
        sayRefused(by: plan, besides: state.plan)
        state.plan = plan
        state.isLooking = false
        setup.publish(plan.configuration)
        state.places.workers = plan.policy.workers
        state.notBefore = ledger.turns(of: plan.policy)
        let troubles = state.record.troubles
        state.record = plan.record()
        Self.takeUp(troubles, &state)
        state.requested.formUnion(obstructed)
        logger.log(level: .notice, .reloaded, "configuration read again: \(plan.summary)")
        say(change)
        searchAgain(&state)
        plan.showMetrics()
        end(reload: nil, began, &state)
    }

    private func end(reload refusal: Failure?, _ began: Duration, _ state: inout State) {
        if let refusal {
            state.record.refusal = refusal.messages.first.map {
                ServiceRecord.Refusal(at: SystemTime.now, reason: $0.what, hint: $0.hint)
            }
            state.plan.metrics?.show(isConfigurationInForce: false)
            history.record([refusal.refusal(by: initiator)])
            logger.log(
                refusal, level: .error, .refused,
                after: "configuration refused, the old one stays in force: ")
        }
        schedule(&state)
        write(&state)
        notifier.notify([.ready, .status(statusText(state))])
        answer(refusal, began: began)
        guard state.reloadsAgain else { return }
        state.reloadsAgain = false
        reload(&state)
    }

    /// Answers the process that asked for the reload. This is the last step, so that the asker finds the service ready.
    private func answer(_ refusal: Failure?, began: Duration) {
        let answer = ReloadAnswer(
            process: getpid(), began: began, status: refusal?.status.rawValue ?? 0,
            reasons: refusal?.messages.map { ReloadAnswer.Reason(what: $0.what, hint: $0.hint) } ?? [])
        do throws(StoreError) {
            try ledger.write("answer a reload") { try $0.setReloadAnswer(answer) }
        } catch {
            logger.error(error)
        }
    }

    /// Logs how the configuration changed. This includes removed files, because a removed file may have kept rows that
    /// are deleted without it.
    private func say(_ change: ConfigurationChange) {
        if let files = change.filesExplanation {
            logger.log(level: .notice, .reloaded, "files of the configuration: \(files)")
        }
        for table in change.tables {
            logger.log(
                level: .notice, .reloaded,
                "\(table.name.isEmpty ? "configuration" : table.name): \(table.explanation)",
                table.rule.map { ["PRUNED_RULE": "\($0)"] } ?? [:])
        }
    }
}
