import FoundationEssentials
import PolicyFile
import Retention

/// Checks the configuration alone, as continuous integration does where no store is. It opens no store, asks no service
/// manager and needs no state directory.
struct ConfigurationCheck {
    private let files: ConfigurationFiles
    private let configuration: Configuration
    private let stateDirectory: String
    private let selection: SelectionOptions
    private let showsSettings: Bool
    private let style: TextStyle

    /// Reads the configuration, whoever owns its files: what a checkout has is not what will be installed.
    init(
        _ options: CommonOptions, dropIns: [String], _ selection: SelectionOptions
    ) throws(Failure) {
        stateDirectory = try Setup.stateDirectory(options)
        var files = try Setup.configurationFiles(options)
        files.candidates = dropIns
        self.files = files
        do {
            configuration = try files.read(systemTimeZone: .current, user: nil)
        } catch {
            throw Failure(error)
        }
        self.selection = selection
        showsSettings = options.verbose
        style = .of(.output, options.color)
    }

    func execute() throws(Failure) -> ExitStatus {
        let policy = configuration.template
        try StoreTwins(configuration, stateDirectory: stateDirectory).refuse()
        let stores = try policy.stores(named: selection.store).map(\.name)
        let rules = policy.rules.filter { stores.contains($0.store) }
        let overlaps = RuleOverlap.all(among: rules, at: SystemTime.now, in: policy.timeZone)
        let findings =
            read
            + rules.map { rule in
                CheckFinding(
                    subject: .rule, name: "  rule \(rule.name)", detail: rule.explanation, verdict: .ok,
                    remarks: RuleOverlap.remarks(on: rule.name, among: overlaps)
                        + configuration.remarks(on: rule))
            }
        let text = CheckText(findings, style: style)
        let length = selection.length(ofStores: stores.count)
        for finding in findings where finding.isProblem || length.isWhole {
            try StandardStream.output.write(text.lines(of: finding))
        }
        if showsSettings {
            try StandardStream.output.write(
                configuration.text(of: selection.store.isEmpty ? nil : Set(stores), style))
        }
        try StandardStream.output.write(length.remark(style).map { $0 + "\n" }.joined())
        let counts = "\(stores.count.counted("store")), \(rules.count.counted("rule"))"
        try StandardStream.output.write(
            style.fitted("\(counts): the configuration is valid; no store was looked at")
                .map { $0 + "\n" }.joined())
        return .done
    }

    /// The files, in the order in which they override each other.
    private var read: [CheckFinding] {
        let none = CheckFinding(
            subject: .setting, name: "policy", detail: "built-in, while no store is configured", verdict: .ok)
        return (configuration.files + configuration.presetFiles).map { file in
            CheckFinding(
                subject: .setting, name: configuration.kind(of: file, main: files.main),
                detail: file, verdict: .ok,
                remarks: files.remarks(on: file) + configuration.passwordRemarks(on: file, user: nil))
        } + (configuration.isBuiltIn ? [none] : [])
    }
}

extension ConfigurationFiles {
    /// What a person should know of a file. One given with --drop-in may have a name that conf.d ignores.
    func remarks(on file: String) -> [String] {
        candidates.contains(file) && !Self.readsDropIn(named: file.lastName)
            ? ["conf.d ignores this name: it must end in .toml and not begin with a dot"] : []
    }
}

extension Configuration {
    /// What a file is; `main` is the main file.
    func kind(of file: String, main: String?) -> String {
        file == main ? "configuration" : presetFiles.contains(file) ? "  preset" : "  drop-in file"
    }

    /// What a person should know of a rule that several files define.
    func remarks(on rule: RetentionRule) -> [String] {
        let name = writtenName(of: rule.name)
        let replaced = presetOverrides[name, default: []].map(\.remark)
        guard let files = filesAtOdds[name] else { return replaced }
        return [
            "\(files.joined(separator: " and ")) each name a table for it, and the last one counts; if these are two rules,"
                + " rename one of them"
        ] + replaced
    }

    /// The settings and their files, of these stores or of all; empty while only the built-in policy is in force.
    func text(of stores: Set<Name>?, _ style: TextStyle) -> String {
        guard !files.isEmpty else { return "" }
        let rules = policy.rules.filter { stores?.contains($0.store) ?? true }.map(\.name)
        let tables = Set((stores ?? []).map { "store.\($0)" } + rules.map { "rule.\($0)" })
        let shown = settings.filter {
            stores == nil || tables.contains($0.table.replacing("\"", with: ""))
        }
        return "\n\(SettingsText(shown, style: style))"
    }
}

extension RetentionPolicy {
    /// The stores named on the command line, by name; all when none is named.
    func stores(named texts: [String]) throws(Failure) -> [StoreDefinition] {
        let names = stores.map(\.name.description)
        let selected = { (store: StoreDefinition, text: String) in
            [store.name.description, store.name.family?.description].contains(text)
                || FamilyPattern(text)?.matched(in: store.name.description) != nil
                || store.family != nil && text == "\(store.name)/*"
        }
        if let unknown = texts.first(where: { text in !stores.contains { selected($0, text) } }) {
            throw Failure(
                .usage, "there is no store \"\(unknown)\"",
                hint: names.nearest(to: unknown).map { "did you mean \"\($0)\"?" }
                    ?? "the stores are " + names.joined(separator: ", "))
        }
        return stores.filter { store in texts.isEmpty || texts.contains { selected(store, $0) } }
    }
}
