import Pruning
import Retention
import Systemd
import TerminalText

/// Looks at everything that a run would need.
struct Check {
    let setup: Setup
    let width: Int

    func execute() throws(Failure) -> ExitStatus {
        let stores = try setup.stores(of: setup.policy, purpose: "pruned check")
        try checkFiles()
        let misfits = stores.misfits(of: setup.policy.rules)
        let stateFaults = try checkState()
        var worst = try stateFaults + checkMetrics()
        for definition in setup.policy.stores {
            guard let store = stores.byName[definition.name] else { continue }
            let isCreated = stateFaults.isEmpty && stores.defaultStore.contains(definition.name)
            worst += try check(store, isCreated: isCreated)
            for rule in setup.policy.rules where rule.store == definition.name {
                let misfit = misfits.first { $0.rule.name == rule.name }?.error
                worst += try check(rule, misfit ?? wrongUnit(of: rule, in: store))
            }
        }
        try StandardStream.output.write(settings)
        return [.damaged, .configuration, .inputOutput, .busy, .failed].first(where: worst.contains) ?? .done
    }

    /// They have been read: what is wrong with one was said.
    private func checkFiles() throws(Failure) {
        let main = setup.configurationFiles.main
        try say("configuration", main ?? "none, the built-in policy is in force", "ok")
        for file in setup.configuration.files where file != main { try say("  and over it", file, "ok") }
    }

    /// There is nothing to say of one that can be read, or is not there yet.
    private func checkState() throws(Failure) -> [ExitStatus] {
        do throws(Failure) {
            try setup.checkState()
            return []
        } catch {
            try say("state", setup.stateDirectory, "WRONG")
            error.report()
            return [error.status]
        }
    }

    private func checkMetrics() throws(Failure) -> [ExitStatus] {
        guard let path = setup.configuration.metricsFile else { return [] }
        do throws(StoreError) {
            try MetricsFile(path: path, stateDirectory: setup.stateDirectory).checkAccess()
        } catch {
            try say("metrics", path, "WRONG")
            Failure(error).report()
            return [ExitStatus(error.kind)]
        }
        try say("metrics", path, "ok")
        return []
    }

    /// Nothing, where all is as the built-in policy says it.
    private var settings: String {
        guard !setup.configuration.files.isEmpty else { return "" }
        return "\n\(SettingsText(setup.configuration.settings, width: width))"
    }

    private func check(_ rule: RetentionRule, _ misfit: StoreError?) throws(Failure) -> [ExitStatus] {
        let finding = misfit == nil ? "ok" : "WRONG"
        try write("  rule \(rule.name)", "\(finding): \(rule.explanation.onOneLine)".fitted(to: room))
        guard let misfit else { return [] }
        Failure(misfit).report()
        return [misfit.kind == .schema ? .configuration : ExitStatus(misfit.kind)]
    }

    private func wrongUnit(of rule: RetentionRule, in store: any PrunableStore) -> StoreError? {
        guard store.exists() else { return nil }
        do throws(StoreError) {
            let view = try store.openView(RunControl(monotonic: SystemTime.monotonic))
            defer { view.close() }
            let task = PruneTask(rule, start: SystemTime.now, in: setup.policy.timeZone)
            try UnitCheck(task: task, place: store.definition.path).check(view)
            return nil
        } catch {
            return error
        }
    }

    private func check(_ store: any PrunableStore, isCreated: Bool) throws(Failure) -> [ExitStatus] {
        let (name, path) = (store.definition.name, store.definition.path)
        guard store.exists() else {
            try say("store \(name)", path, isCreated ? "not there yet" : "MISSING")
            return isCreated ? [] : [.inputOutput]
        }
        do throws(StoreError) {
            try store.checkAccess()
            let view = try store.openView(RunControl(monotonic: SystemTime.monotonic))
            defer { view.close() }
            try view.verifyIntegrity()
        } catch {
            try say("store \(name)", path, "WRONG")
            Failure(error).report()
            return [ExitStatus(error.kind)]
        }
        try say("store \(name)", path, "ok")
        return []
    }

    /// Where what is found stands.
    private static let indent = 20

    private var room: Int { width - Self.indent - 2 }

    /// A path is whole for whatever reads on, and broken only where a terminal would do it, too.
    private func say(_ what: String, _ detail: String, _ finding: String) throws(Failure) {
        let text = "\(finding): \(detail.onOneLine)"
        try write(what, StandardStream.output.isTerminal ? text.pieces(ofColumns: room) : [text])
    }

    /// What is told of `name`: beside it, or below where it is too long.
    private func write(_ name: String, _ lines: [String]) throws(Failure) {
        let isLong = name.columns > Self.indent
        if isLong { try write(name.pieces(ofColumns: width)) }
        try write(
            lines.enumerated().map { index, line in
                (index == 0 && !isLong ? name : "").padded(to: Self.indent) + "  " + line
            })
    }

    private func write(_ lines: [String]) throws(Failure) {
        try StandardStream.output.write(lines.map { $0 + "\n" }.joined())
    }
}

extension RetentionRule {
    /// The rule in words.
    var explanation: String {
        let condition =
            switch expiry {
            case .age(let column, let keep): "\(table).\(column) over \(keep)"
            case .deadline(let column, let grace):
                "\(table).\(column) passed" + (grace.map { " by \($0)" } ?? "")
            }
        let others = dependents.isEmpty ? nil : "with " + dependents.sorted().joined(separator: ", ")
        let keeper = keptBy.map { "kept by \($0)" }
        let newest = keepLast.map { "the newest \($0) stay" }
        let parts = [condition, keeper, newest, others, "every \(every)"]
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}
