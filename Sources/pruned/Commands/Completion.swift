import ArgumentParser
import FoundationEssentials
import Ledger
import Pruning
import Retention

/// The words that a shell can offer to complete a command line. It only reads, with the rights of the user who types.
/// Where that user may not read, it offers nothing and reports no error.
struct Completion {
    private let options: CommonOptions?

    /// `words` is the command line as typed, with its quotes.
    init(_ words: [String]) {
        let named = ["--config", "--state-dir"].flatMap { option in
            Self.value(of: option, in: words).map { [option, Self.expandingTilde($0)] } ?? []
        }
        options = try? CommonOptions.parse(named)
    }

    private static func value(of option: String, in words: [String]) -> String? {
        if let index = words.lastIndex(of: option), index + 1 < words.count { return words[index + 1] }
        return words.last { $0.hasPrefix(option + "=") }.map { String($0.dropFirst(option.count + 1)) }
    }

    /// Expands the tilde as the shell would.
    private static func expandingTilde(_ word: String) -> String {
        guard word == "~" || word.hasPrefix("~/"), let home = ProcessInfo.processInfo.environment["HOME"]
        else {
            return word
        }
        return home + word.dropFirst()
    }

    private var policy: RetentionPolicy? {
        options.flatMap {
            try? Setup.readConfiguration(
                Setup.configurationFiles($0), stateDirectory: Setup.stateDirectory($0)
            ).template
        }
    }

    private var stateDirectory: String? { options.flatMap { try? Setup.stateDirectory($0) } }

    /// The rules of the configuration.
    var rules: [String] { policy?.rules.map(\.name.description) ?? [] }

    /// The stores of the configuration.
    var stores: [String] { policy?.stores.map { "\($0.name)" + ($0.family == nil ? "" : "/*") } ?? [] }

    /// The presets.
    var presets: [String] {
        let names = options.flatMap { try? Setup.configurationFiles($0).presets().names() } ?? []
        return names.map(\.description)
    }

    /// The held rules.
    var heldRules: [String] {
        guard let stateDirectory else { return [] }
        let holds = Ledger(stateDirectory: stateDirectory).readIfPossible(or: [:]) { try $0.holds() }
        return holds.keys.map(\.description).sorted()
    }

    /// The runs whose rows should still be in the archive. They are taken from the history, since opening the archive
    /// could leave files beside it.
    var archivedRuns: [String] {
        guard let stateDirectory, let policy else { return [] }
        let entries = Ledger(stateDirectory: stateDirectory).readIfPossible(or: []) { try $0.history() }
        return entries.filter { isArchived($0, by: policy) }.compactMap(\.runID).reversed()
    }

    private func isArchived(_ entry: HistoryEntry, by policy: RetentionPolicy) -> Bool {
        // The shell may expand what it is offered. So a run's id must have the characters of a name, whatever the file
        // says.
        guard entry.kind == .run, entry.runID.flatMap(Name.init) != nil else { return false }
        return entry.rules?.contains {
            $0.isArchived(by: policy, from: entry.time, at: SystemTime.now)
        } ?? false
    }
}

extension CompletionKind {
    /// A configuration file.
    static let configuration = CompletionKind.file(extensions: ["toml"])
    /// A rule of the configuration.
    static let rule = CompletionKind.custom { words, _, _ in Completion(words).rules }
    /// A store of the configuration.
    static let store = CompletionKind.custom { words, _, _ in Completion(words).stores }
    /// A preset.
    static let preset = CompletionKind.custom { words, _, _ in Completion(words).presets }
    /// A held rule.
    static let heldRule = CompletionKind.custom { words, _, _ in Completion(words).heldRules }
    /// A run that can be restored.
    static let archivedRun = CompletionKind.custom { words, _, _ in Completion(words).archivedRuns }
}
