import Foundation
import Pruning
import Retention
import Systemd
import TerminalText

/// Looks at everything that a run would need.
struct Check {
    let setup: Setup
    let style: TextStyle

    func execute() throws(Failure) -> ExitStatus {
        let stores = try setup.stores(of: setup.policy, purpose: "pruned check")
        let unreadable = try checkFiles()
        let misfits = stores.misfits(of: setup.policy.rules)
        let stateFaults = try checkState()
        var worst = unreadable + stateFaults + (try checkMetrics())
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

    /// They have been read, and what is wrong in one was said; but root can read what the service cannot.
    private func checkFiles() throws(Failure) -> [ExitStatus] {
        let main = setup.configurationFiles.main
        if main == nil { try say("configuration", "none, the built-in policy is in force", "ok") }
        var found: [ExitStatus] = []
        for file in setup.configuration.files {
            let isReadable = faccessat(AT_FDCWD, file, R_OK, AT_EACCESS) == 0
            try say(file == main ? "configuration" : "  and over it", file, isReadable ? "ok" : "WRONG")
            guard !isReadable else { continue }
            let error = StoreError.system(
                errno, operation: "read the configuration", place: file,
                hint: "root can, but the service is not root: chmod a+r \(file)")
            Failure(error).report()
            found.append(.configuration)
        }
        return found
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
        return "\n\(SettingsText(setup.configuration.settings, style: style))"
    }

    private func check(_ rule: RetentionRule, _ misfit: StoreError?) throws(Failure) -> [ExitStatus] {
        let finding = misfit == nil ? "ok" : "WRONG"
        let text = "\(finding): \(rule.explanation.onOneLine)"
        try write("  rule \(rule.name)", style.fitted(text, indent: Self.indent + 2))
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

    /// A path is whole for whatever reads on, and broken only where a terminal would do it, too.
    private func say(_ what: String, _ detail: String, _ finding: String) throws(Failure) {
        let text = "\(finding): \(detail.onOneLine)"
        try write(what, style.isScreen ? text.pieces(ofColumns: style.width - Self.indent - 2) : [text])
    }

    /// What is told of `name`: beside it, or below where it is too long.
    private func write(_ name: String, _ lines: [String]) throws(Failure) {
        let isLong = name.columns > Self.indent
        if isLong { try write(style.isScreen ? name.pieces(ofColumns: style.width) : [name]) }
        try write(
            lines.enumerated().map { index, line in
                (index == 0 && !isLong ? name : "").padded(to: Self.indent) + "  "
                    + (index == 0 ? shown(line) : line)
            })
    }

    /// The line that begins with what was found.
    private func shown(_ line: String) -> String {
        let finding = String(line.prefix { $0 != ":" })
        return style.shown(finding, as: Emphasis(of: finding)) + line.dropFirst(finding.count)
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
