import DefaultStore
import FoundationEssentials
import Glibc
import Pruning
import Retention
import SQLitePruning

/// The stores of a policy, opened by path.
struct StoreSet: Sendable {
    let byName: [Name: any PrunableStore]
    let archive: SQLiteArchive
    let archiveStore: any PrunableStore
    private let policy: RetentionPolicy
    private let stateDirectory: String

    /// Where the stores are, see ``StorePlace``.
    var places: [Name: String] { byName.mapValues { StorePlace.resolved($0.definition.place) } }

    /// `purpose` is what the lock beside a store says of this process: "pruned --run-now".
    init(policy: RetentionPolicy, stateDirectory: String, purpose: String) throws(Failure) {
        self.policy = policy
        self.stateDirectory = stateDirectory
        let holder = "process \(getpid()) (\(purpose)), since \(SystemTime.now.iso8601)"
        archive = SQLiteArchive(
            stateDirectory: stateDirectory, limit: policy.archiveLimit,
            stores: Set(policy.stores.map(\.name)))
        archiveStore = archive.store(holder: holder, monotonic: SystemTime.monotonic)
        var stores: [Name: any PrunableStore] = [:]
        for var definition in policy.stores {
            switch definition.kind {
            case .sqlite(let path):
                let path = Self.absolute(path, in: stateDirectory)
                definition.kind = .sqlite(path: path)
                stores[definition.name] = SQLiteStore(
                    definition, path: path, holder: holder, archive: archive,
                    lockTime: LockTime(policy.lockTime), monotonic: SystemTime.monotonic)
            }
        }
        byName = stores
        try refuseTwins()
    }

    /// Two names for one file would make two workers of one store; and what is in the archive goes by its own rules.
    private func refuseTwins() throws(Failure) {
        let archive = Self.file(at: archive.path)
        var known: [String: Name] = [:]
        for (name, store) in byName.sorted(by: { $0.key < $1.key }) {
            guard let path = store.definition.file else { continue }
            let file = Self.file(at: path)
            guard file != archive else {
                throw Failure(
                    .configuration, "store.\(name).path: \(path) is the archive",
                    hint: "rows leave it when their archive_keep is over; remove the store")
            }
            if let twin = known.updateValue(name, forKey: file) {
                throw Failure(
                    .configuration, "store.\(name).path: \(path) is the file of store \(twin), too",
                    hint: "give the rules of both to one store")
            }
        }
    }

    /// What tells the file at `path` from others. Where it or a part of the path is missing, the path as written must do.
    private static func file(at path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path.withoutDots }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func absolute(_ path: String, in directory: String) -> String {
        path.hasPrefix("/") ? path : directory + "/" + path
    }

    private var defaultPath: String { stateDirectory + "/" + StoreCreation.fileName }

    /// The name that the policy has for the default store; empty when it has none.
    var defaultStore: Set<Name> {
        Set(byName.filter { $0.value.definition.file == defaultPath }.keys)
    }

    /// Creates the state directory and the default store, where the policy names it and it is missing or unfinished.
    /// What stands there and is no database is for the run to meet, so that the other stores are pruned.
    func createMissing() throws(Failure) {
        do {
            try StateDirectory.createIfMissing(at: stateDirectory)
            guard !defaultStore.isEmpty, isUnfinished(defaultPath) else { return }
            try StoreCreation.createIfMissing(at: defaultPath)
        } catch let error where error.kind == .damaged {
            return
        } catch {
            throw Failure(error)
        }
    }

    /// Whether the default store is missing, or so small that it has no table yet: whoever created it is not done,
    /// or was killed before that.
    private func isUnfinished(_ path: String) -> Bool {
        var status = stat()
        // What cannot be looked at may well be there: the run says why it cannot.
        guard lstat(path, &status) == 0 else { return errno == ENOENT }
        return status.st_mode & S_IFMT == S_IFREG && status.st_size <= Self.sizeWithoutTables
    }

    /// One page of SQLite's default size.
    private static let sizeWithoutTables = 4_096

    /// A run of `rules` that starts now.
    func run(_ rules: [RetentionRule], _ settings: RunSettings, _ control: RunControl) -> PruneRun {
        var settings = settings
        settings.archive = archiveStore
        settings.witnesses = policy.rules
        let now = SystemTime.now
        var generator = SystemRandomNumberGenerator()
        return PruneRun(
            id: RunID(start: now, using: &generator), startedAt: now, rules: rules, timeZone: policy.timeZone,
            stores: byName, settings: settings, control: control)
    }

    /// A rule, and why it cannot be applied to its store.
    typealias Misfit = (rule: RetentionRule, error: StoreError)

    /// What keeps each of `rules` from being applied to its store, in their order. A store that does not exist yet
    /// says nothing.
    func misfits(of rules: [RetentionRule]) -> [Misfit] {
        let control = RunControl(monotonic: SystemTime.monotonic)
        return rules.compactMap { rule -> Misfit? in
            guard let store = byName[rule.store], store.exists() else { return nil }
            do throws(StoreError) {
                let view = try store.openView(control)
                defer { view.close() }
                try view.validate(rule)
                return nil
            } catch {
                return (rule, error)
            }
        }
    }

    /// Throws when a rule does not fit its store's schema. Returns the other misfits: what else is wrong with a store is
    /// for the run to meet, so that the other stores are pruned.
    @discardableResult
    func refuseMisfits(of rules: [RetentionRule]) throws(Failure) -> [Misfit] {
        let misfits = misfits(of: rules)
        let errors = misfits.map(\.error).filter { $0.kind == .schema }
        guard errors.isEmpty else { throw Failure(misfits: errors) }
        return misfits
    }
}
