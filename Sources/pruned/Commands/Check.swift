import CProcess
import DefaultStore
import FoundationEssentials
import Glibc
import PolicyFile
import Pruning
import Retention
import SQLite
import TerminalText

/// Checks everything that a run would need.
struct Check {
    let setup: Setup
    let units: ServiceUnits
    let selection: SelectionOptions
    /// Whether to show every setting and its file.
    let showsSettings: Bool
    let style: TextStyle

    func execute() throws(Failure) -> ExitStatus {
        let definitions = try setup.policy.stores(named: selection.store)
        let stores = try setup.stores(of: setup.configuration, purpose: "pruned check")
        let state = state()
        var findings = files() + state + metrics() + kernel()
        let checks = stores.checks(
            of: definitions.map(\.name), at: SystemTime.now, isOfAnother: setup.ledger.isOfAnother)
        for definition in definitions {
            guard let check = checks[definition.name],
                let definition = stores.byName[definition.name]?.definition
            else { continue }
            let isCreated = state.isEmpty && stores.defaultStore.contains(definition.name)
            let found = finding(of: definition, check, isCreated: isCreated)
            findings += ([found] + rules(on: definition, check, found, stores)).map { finding in
                let family = setup.configuration.families.first { $0.name == definition.name.family }
                var finding = finding
                finding.member = family.map { (definition.name, definition.place, $0.place) }
                return finding
            }
        }
        findings += families()
        let paths = definitions.compactMap { stores.byName[$0.name]?.definition.file }
        findings += units.findings(
            writing: paths + [setup.configuration.metricsFile].compactMap(\.self), setup.stateDirectory,
            reaching: stores.servers(of: definitions.map(\.name)))
        try show(findings, of: definitions)
        let found = findings.map(\.status)
        return [.damaged, .configuration, .inputOutput, .busy, .failed].first(where: found.contains) ?? .done
    }

    private func show(_ findings: [CheckFinding], of stores: [StoreDefinition]) throws(Failure) {
        let text = CheckText(findings, style: style)
        let length = selection.length(ofStores: Set(stores.map { $0.name.family ?? $0.name }).count)
        for finding in selection.all ? findings : CheckFinding.byFamily(findings)
        where finding.isProblem || length.isWhole {
            try StandardStream.output.write(text.lines(of: finding))
            finding.failure?.report()
        }
        if showsSettings {
            try StandardStream.output.write(
                setup.configuration.text(of: selection.store.isEmpty ? nil : Set(stores.map(\.name)), style))
        }
        try StandardStream.output.write(length.remark(style).map { $0 + "\n" }.joined())
        // Last, where a terminal shows it.
        try StandardStream.output.write(text.summary)
    }

    // MARK: - Files, state and metrics

    /// The files were read already, and errors in them reported. This checks that the service can read them as well,
    /// since root can read any file.
    private func files() -> [CheckFinding] {
        let main = setup.configurationFiles.main
        let builtIn = CheckFinding(
            subject: .setting, name: "policy", detail: "built-in, while no store is configured", verdict: .ok)
        let configuration = setup.configuration
        let files = (configuration.files + configuration.presetFiles).map { file in
            let name = configuration.kind(of: file, main: main)
            let remarks =
                setup.configurationFiles.remarks(on: file)
                + configuration.passwordRemarks(on: file, user: geteuid(), way: Self.closing(file))
            let isSecret = configuration.hasPassword(in: file)
            guard faccessat(AT_FDCWD, file, R_OK, AT_EACCESS) != 0 else {
                return CheckFinding(
                    subject: .setting, name: name, detail: file, verdict: .ok, remarks: remarks)
            }
            let code = errno
            guard isInPlace(file) else {
                return CheckFinding(
                    subject: .setting, name: name, detail: file, verdict: .ok,
                    remarks: remarks + [
                        "only root can read it; once installed, the service must be able to"
                            + (isSecret ? ": `\(Self.closing(file))`" : " (mode 0644)")
                    ])
            }
            let error = StoreError.system(
                code, operation: "read the configuration", place: file,
                hint: "the service is not root: "
                    + (isSecret ? "`\(Self.closing(file))`" : "chmod a+r \(file)"))
            return CheckFinding(
                subject: .setting, name: name, detail: file, verdict: .wrong,
                failure: Failure(.configuration, error.reason, hint: error.hint))
        }
        return files + (configuration.isBuiltIn ? [builtIn] : [])
    }

    /// The command that lets the service read a file, and nobody else but root. This process has the service's group by
    /// now, unless there is no state directory yet.
    private static func closing(_ file: String) -> String {
        var status = stat()
        let isOwn = geteuid() != 0 && stat(file, &status) == 0 && status.st_uid == geteuid()
        if isOwn { return "chmod 0600 \(file.shellWord)" }
        let own = geteuid() == 0 ? nil : Account.name(ofGroup: getegid()) ?? "\(getegid())"
        let group = own ?? StateDirectory.serviceUser
        return "chown root:\(group) \(file.shellWord); chmod 0640 \(file.shellWord)"
    }

    /// Whether the service reads this file where it is. If not, it is a candidate, which a tool checks before it
    /// installs it.
    private func isInPlace(_ file: String) -> Bool {
        let read = units.configurations + [DefaultConfiguration.system]
        return read.contains { place in
            let files = ConfigurationFiles(place).withInstalledPresets
            return place == file
                || ([files.dropInDirectory] + files.presetDirectories).contains { file.hasPrefix($0 + "/") }
        }
    }

    /// Reports the state directory only if it exists and cannot be read, or others can write to it.
    private func state() -> [CheckFinding] {
        do throws(Failure) {
            let isOfAnother = setup.ledger.isOfAnother
            if !isOfAnother || access(setup.stateDirectory, R_OK | X_OK) != 0 { try setup.checkState() }
            let isShared = FileFacts(at: setup.stateDirectory)?.isWritableByOthers == true
            guard isOfAnother || isShared else { return [] }
            return [
                CheckFinding(
                    subject: .setting, name: "state", detail: setup.stateDirectory, verdict: .ok,
                    remarks: [
                        isShared
                            ? "others can write to it, and rename what pruned remembers: `chmod g-w,o-w"
                                + " \(setup.stateDirectory.shellWord)`; apps share shared/ in it"
                            : "only its owner can run rules; archives were not looked at"
                    ])
            ]
        } catch {
            return [
                CheckFinding(
                    subject: .setting, name: "state", detail: setup.stateDirectory, verdict: .wrong,
                    failure: error)
            ]
        }
    }

    /// Reports the kernel only if worker processes can reach more files there than they should.
    private func kernel() -> [CheckFinding] {
        guard process_landlock_version() == 0 else { return [] }
        return [
            CheckFinding(
                subject: .setting, name: "kernel", detail: "it has no landlock", verdict: .ok,
                remarks: ["whoever takes over the worker process of a store reaches the files of the others"])
        ]
    }

    private func metrics() -> [CheckFinding] {
        guard let path = setup.configuration.metricsFile else { return [] }
        return [
            .of(.setting, "metrics", path) { () throws(StoreError) in
                try MetricsFile(path: path, stateDirectory: setup.stateDirectory).checkAccess()
            }
        ]
    }

    // MARK: - Stores and rules

    private func families() -> [CheckFinding] {
        setup.configuration.families.compactMap { family in
            let found = setup.configuration.found[family.name] ?? FoundStores()
            let isSelected = ["\(family.name)", "\(family.name)/*"].contains(where: selection.store.contains)
            guard selection.store.isEmpty || isSelected else { return nil }
            let none =
                found.members.isEmpty && found.failure == nil
                ? ["nothing matches; what appears there is a store a minute later at most"] : []
            return CheckFinding(
                subject: .setting, name: "stores \(family.name)/*",
                detail: "\(found.members.count.counted("store")) by \(family.familyText)",
                verdict: found.failure == nil ? .ok : .wrong,
                failure: found.failure.map { Failure(.inputOutput, $0) }, remarks: none + found.refused)
        }
    }

    private func finding(
        of store: StoreDefinition, _ check: StoreCheck, isCreated: Bool
    ) -> CheckFinding {
        let (name, path) = ("store \(store.name)", store.place)
        guard check.exists else {
            return CheckFinding(
                subject: .store, name: name, detail: path, verdict: isCreated ? .notThereYet : .missing,
                failure: isCreated ? nil : Failure(.missingStore(at: path)))
        }
        var finding = self.finding(.store, name, path) { () throws(StoreError) in
            if let failure = check.failure { throw failure }
        }
        if let versions = check.versions {
            let preset = store.preset.map { "preset \($0): " } ?? ""
            finding.detail += " (\(preset)its schema is that of \(versions))"
        }
        finding.remarks += [check.unchecked, store.isQuiet ? nil : check.disturbance].compactMap(\.self)
        return finding
    }

    /// The finding for a check that `body` makes, whose errors say where the setting to blame stands.
    private func finding(
        _ subject: CheckFinding.Subject, _ name: String, _ detail: String,
        _ body: () throws(StoreError) -> Void
    ) -> CheckFinding {
        .of(subject, name, detail) { () throws(StoreError) in
            do throws(StoreError) { try body() } catch {
                throw error.located(by: setup.configuration.origins)
            }
        }
    }

    /// The rules of a store. An error of the store itself was reported once, and is not repeated for each rule.
    private func rules(
        on store: StoreDefinition, _ check: StoreCheck, _ found: CheckFinding, _ stores: StoreSet
    ) -> [CheckFinding] {
        let rules = setup.policy.rules.filter { $0.store == store.name }
        var fit = StoreFit()
        fit.misfits = check.rules.compactMapValues(\.misfit)
        let misfits = stores.misfits(of: rules, [store.name: fit])
        let overlaps = RuleOverlap.all(among: rules, at: SystemTime.now, in: setup.policy.timeZone)
        return rules.map { rule in
            let name = "  rule \(rule.name)"
            let misfit = misfits.first { $0.rule.name == rule.name }?.error
            guard found.failure == nil || misfit?.kind == .schema else {
                return CheckFinding(
                    subject: .rule, name: name, detail: rule.explanation, verdict: .notChecked)
            }
            var finding = self.finding(.rule, name, rule.explanation) { () throws(StoreError) in
                if let error = misfit ?? check.rules[rule.name]?.failure { throw error }
            }
            finding.remarks =
                (check.rules[rule.name]?.remarks ?? []) + RuleOverlap.remarks(on: rule.name, among: overlaps)
                + setup.configuration.remarks(on: rule)
            return finding
        }
    }
}
