import Archive
import DefaultStore
import Dispatch
import FoundationEssentials
import Glibc
import Ledger
import Logging
import PolicyFile
import Pruning
import Retention
import SQLite
import Synchronization

/// The stores of a configuration, opened by path.
struct StoreSet: Sendable {
    let byName: [Name: any PrunableStore]
    let archives: Archives
    /// When archives that no store fills were pruned last.
    private let abandoned = AbandonedTurn()
    private let policy: RetentionPolicy
    private let origins: SettingOrigins
    private let stateDirectory: String
    private let holder: String

    /// The stores' locations, see ``StorePlace``.
    var places: [Name: String] { Self.places(of: policy, in: stateDirectory) }

    /// The locations of a policy's stores, see ``StorePlace``.
    static func places(of policy: RetentionPolicy, in stateDirectory: String) -> [Name: String] {
        Dictionary(
            uniqueKeysWithValues: policy.stores.map { store in
                (store.name, StorePlace.resolved(store.absolute(in: stateDirectory).place))
            })
    }

    /// `purpose` describes this process in the lock beside a store, such as "pruned --run-now".
    init(_ configuration: Configuration, stateDirectory: String, purpose: String) throws(Failure) {
        (policy, origins) = (configuration.policy, configuration.origins)
        self.stateDirectory = stateDirectory
        let holder = "process \(getpid()) (\(purpose)), since \(SystemTime.now.iso8601)"
        self.holder = holder
        try StoreTwins(policy, stateDirectory, origins).refuse()
        archives = Archives(policy: policy, stateDirectory: stateDirectory, holder: holder)
        byName = Dictionary(
            uniqueKeysWithValues: policy.stores.map { [policy] store in
                let place = StoreJob.Place(
                    stateDirectory: stateDirectory, store: store.absolute(in: stateDirectory),
                    archive: store.name, policy: policy, hasArchive: false, holder: holder, process: getpid())
                return (store.name, OpenedPlace(place).store)
            })
    }

    /// What a worker process needs to put rows of `archive` back into `store`.
    func place(of store: any PrunableStore, with archive: Name?) -> StoreJob.Place {
        StoreJob.Place(
            stateDirectory: stateDirectory, store: store.definition, archive: archive, policy: policy,
            hasArchive: true, holder: holder, process: getpid())
    }

    /// What a worker process answers to the question of a store of the policy.
    func answer<Answer: Codable & Sendable>(
        of store: any PrunableStore, to work: StoreJob.Work, as _: Answer.Type
    ) throws(Failure) -> Answer {
        let control = RunControl(monotonic: SystemTime.monotonic)
        let job = StoreJob(work, at: place(of: store, others: archives.others()))
        do throws(StoreError) {
            return try WorkerProcess.answer(to: job, of: store.definition.name, control)
        } catch {
            throw Failure(error.located(by: origins))
        }
    }

    /// The servers that the urls of these stores name.
    func servers(of stores: [Name]) -> [ServerPlace] {
        stores.flatMap { byName[$0]?.servers ?? [] }
    }

    private var defaultPath: String { StateDirectory.store(in: stateDirectory) }

    /// The policy's name for the default store; empty when the policy does not have it.
    var defaultStore: Set<Name> {
        Set(byName.filter { $0.value.definition.file == defaultPath }.keys)
    }

    /// Creates the state directory. Creates the default store if the policy names it and it is missing or unfinished.
    /// Completes one of an older version that lacks what the policy's rules name.
    ///
    /// A file that is not a database causes no error here: the run reports it, and the other stores are pruned.
    ///
    /// Returns what the default store answered that needed nothing, so that it need not be asked again.
    @discardableResult
    func createMissing(_ logger: Logger) throws(Failure) -> [Name: StoreFit] {
        try createStateDirectory()
        do throws(Failure) { return try createDefaultStore() } catch {
            // Where others can be pruned, it is the failure of its rules alone.
            guard policy.stores.count > 1 else { throw error }
            logger.log(error, level: .error)
            return [:]
        }
    }

    private func createDefaultStore() throws(Failure) -> [Name: StoreFit] {
        guard let store = defaultStore.first.flatMap({ byName[$0] }) else { return [:] }
        let isMissing = isUnfinished(defaultPath)
        if !isMissing {
            let rules = policy.rules.filter { defaultStore.contains($0.store) }
            let fits = fits(of: rules, within: Self.longestAnswer(of: 1))
            // A rule that does not fit: the store may be one of an older version; if not, the run reports the rule.
            guard misfits(of: rules, fits).contains(where: { $0.error.kind == .schema }) else { return fits }
        }
        try make(.creation(isMissing: isMissing), of: store)
        return [:]
    }

    /// The default store if it is where older versions had it; see ``StoreMove``.
    var olderDefaultStore: Name? {
        byName.first { $0.value.definition.file == StateDirectory.oldStore(in: stateDirectory) }?.key
    }

    /// Moves the default store of an older version into the directory that is shared with the app. Why it stays, the log
    /// says at `level`: it is used where it is. Returns whether it was moved, also by another process.
    func moveDefaultStore(_ ledger: Ledger, _ logger: Logger, sayingAt level: Logger.Level = .notice) -> Bool
    {
        guard let store = olderDefaultStore.flatMap({ byName[$0] }),
            let directory = FileFacts(at: stateDirectory), directory.owner == geteuid()
        else { return false }
        let old = defaultPath
        do throws(Failure) {
            guard !directory.isWritableByOthers else {
                throw Failure(
                    .failed, "others can write to \(stateDirectory), and rename what pruned remembers",
                    hint: "`chmod g-w \(stateDirectory)`, and start it again")
            }
            try createStateDirectory()
            try make(.move, of: store)
            let new = StateDirectory.store(in: stateDirectory)
            try? ledger.write("remember where the store is") { try $0.moveHolds(from: old, to: new) }
            logger.notice("the default store is now \(new)")
            return true
        } catch {
            guard defaultPath == old else { return true }
            logger.log(error, level: level, after: "the default store stays where older versions had it: ")
            return false
        }
    }

    func createStateDirectory() throws(Failure) {
        do { try StateDirectory.createIfMissing(at: stateDirectory) } catch { throw Failure(error) }
    }

    private func make(_ work: StoreJob.Work, of store: any PrunableStore) throws(Failure) {
        _ = try WorkerProcess.demand(
            StoreJob(work, at: place(of: store)), of: store.definition.name, for: Bool.self)
    }

    /// Whether the default store is missing, or too small to have a table. In that case its creation has not ended, or
    /// was killed.
    private func isUnfinished(_ path: String) -> Bool {
        var status = stat()
        // A file that cannot be examined may exist. The run reports why it cannot be used.
        guard lstat(path, &status) == 0 else { return errno == ENOENT }
        return status.st_mode & S_IFMT == S_IFREG && status.st_size <= Self.sizeWithoutTables
    }

    /// One page of SQLite's default size.
    private static let sizeWithoutTables = 4_096

    /// A run of `rules` that starts now.
    func run(_ rules: [RetentionRule], _ settings: RunSettings, _ control: RunControl) -> PruneRun {
        var settings = settings
        settings.archive = { [self] name in byName[name].map { _ in archives.store(of: name) } }
        if !settings.dryRun, abandoned.take(at: SystemTime.monotonic()) {
            settings.abandonedArchives = archives.abandoned()
        }
        settings.witnesses = policy.rules
        settings.origins = origins
        let others = archives.others()
        settings.execute = { [self] run in
            if let place = archives.place(of: run.store) { return WorkerProcess.execute(run, at: place) }
            var obstacle: StoreError?
            if !run.settings.dryRun, run.tasks.contains(where: { $0.rule.archiveKeep != nil }) {
                obstacle = archives.file(of: run.store.definition.name).prepare()
            }
            return WorkerProcess.execute(
                run, at: place(of: run.store, others: others, obstacle: obstacle))
        }
        settings.ask = newestTimes
        let now = SystemTime.now
        var generator = SystemRandomNumberGenerator()
        return PruneRun(
            id: RunID(start: now, using: &generator), startedAt: now, rules: rules, timeZone: policy.timeZone,
            stores: byName, settings: settings, control: control)
    }

    /// What a worker process needs to open `store`. `obstacle` is why it has no archive to write to.
    private func place(
        of store: any PrunableStore, others: OtherArchives = .none, obstacle: StoreError? = nil
    ) -> StoreJob.Place {
        let name = store.definition.name
        return StoreJob.Place(
            stateDirectory: stateDirectory, store: store.definition, archive: name, policy: policy,
            hasArchive: archives.file(of: name).exists, othersBytes: archives.bytes(beside: name),
            others: others, obstacle: obstacle, holder: holder, process: getpid())
    }

    /// A rule, and why it cannot be applied to its store.
    typealias Misfit = (rule: RetentionRule, error: StoreError)

    /// Why rules cannot be applied to their stores, in the order of `rules`. A store that does not exist yet has no
    /// misfits.
    func misfits(of rules: [RetentionRule]) -> [Misfit] { misfits(of: rules, fits(of: rules)) }

    /// The same, of stores that have been asked.
    func misfits(of rules: [RetentionRule], _ fits: [Name: StoreFit]) -> [Misfit] {
        rules.compactMap { rule in
            guard let error = fits[rule.store]?.misfits[rule.name]?.located(by: origins) else { return nil }
            return (rule, error.kind == .schema && isBuiltIn(rule) ? Self.outdated(error) : error)
        }
    }

    /// Whether the stores of `rules` can be pruned, and these rules fit them. Those that are `known` are not asked again.
    /// Those that have not answered in `time` are taken for fit: a run finds out.
    func fits(
        of rules: [RetentionRule], within time: Duration? = nil, besides known: [Name: StoreFit] = [:]
    ) -> [Name: StoreFit] {
        let byStore = Dictionary(grouping: rules, by: \.store).filter { known[$0.key] == nil }
        return fits(byStore, isMeasured: false, within: time).merging(known) { told, _ in told }
    }

    /// The same of all stores, with how large they are.
    func statuses() -> [Name: StoreFit] {
        let byStore = Dictionary(
            uniqueKeysWithValues: policy.stores.map { store in
                (store.name, policy.rules.filter { $0.store == store.name })
            })
        return fits(byStore, isMeasured: true, within: Self.longestAnswer(of: byStore.count))
    }

    private func fits(
        _ byStore: [Name: [RetentionRule]], isMeasured: Bool, within time: Duration?
    ) -> [Name: StoreFit] {
        let control = RunControl(monotonic: SystemTime.monotonic)
        if let time { limit(control, to: time) }
        let jobs = jobs(byStore.mapValues { .fit(of: $0, isMeasured: isMeasured) })
        let answers = ask(jobs, control, for: StoreFit.self)
        return Dictionary(
            uniqueKeysWithValues: byStore.map { name, rules in
                switch answers[name] {
                case .success(let fit)?: (name, fit.cleaned(of: rules))
                case .failure(let error)? where control.stopReason == nil:
                    (name, StoreFit(of: rules, lost: error))
                case .failure?, nil: (name, StoreFit())
                }
            })
    }

    /// What a run of the rules of these stores would need, by store; without those that do not exist in the policy.
    /// `isOfAnother` says that the archives are another user's, who alone can look into them, and run rules.
    func checks(
        of stores: [Name], at date: Date, isOfAnother: Bool
    ) -> [Name: StoreCheck] {
        let control = RunControl(monotonic: SystemTime.monotonic)
        let rules = Dictionary(grouping: policy.rules, by: \.store)
        let works = Dictionary(
            uniqueKeysWithValues: stores.map { name in
                let tasks = (rules[name] ?? []).map { PruneTask($0, start: date, in: policy.timeZone) }
                return (name, StoreJob.Work.check(tasks))
            })
        let jobs = jobs(works, others: isOfAnother ? .none : archives.others()).mapValues {
            isOfAnother ? StoreJob($0.work, at: $0.place.withoutArchives) : $0
        }
        let told = ask(jobs, control, for: StoreCheck.self)
        return Dictionary(
            uniqueKeysWithValues: told.map { name, told in
                switch told {
                case .success(let check): (name, check.cleaned(of: rules[name] ?? []))
                case .failure(let error): (name, StoreCheck(lost: error))
                }
            })
    }

    /// See ``ClockWitnesses``.
    @Sendable func newestTimes(
        of rules: [Name: [RetentionRule]], notAfter date: Date, _ control: RunControl
    ) -> [Name: [Date]] {
        answers(to: rules.mapValues { .newestTimes(of: $0, notAfter: date) }, control, as: [Date]?.self)
            .compactMapValues(\.self)
    }

    /// The answers of those stores that give one in time: one that takes long must not keep all others waiting.
    func answers<Answer: Codable & Sendable>(
        to works: [Name: StoreJob.Work], _ control: RunControl, as _: Answer.Type = Answer.self
    ) -> [Name: Answer] {
        let own = RunControl(monotonic: SystemTime.monotonic)
        control.whenStopped(-1) { own.requestStop("the run ends") }
        defer { control.whenStopped(-1, nil) }
        if let reason = control.stopReason { own.requestStop(reason) }
        limit(own, to: Self.longestAnswer(of: works.count))
        return ask(jobs(works), own, for: Answer.self).compactMapValues { try? $0.get() }
    }

    /// How long to wait for so many stores.
    private static func longestAnswer(of stores: Int) -> Duration {
        .seconds(4) + .milliseconds(100) * stores
    }

    private func limit(_ control: RunControl, to time: Duration) {
        // Not on a global queue, of which Dispatch then looks after each second for ever.
        DispatchQueue(label: "pruned.look").asyncAfter(deadline: .now() + time.seconds) {
            control.requestStop("there is no time")
        }
    }

    private func jobs(
        _ works: [Name: StoreJob.Work], others: OtherArchives = .none
    ) -> [Name: StoreJob] {
        works.reduce(into: [:]) { jobs, work in
            jobs[work.key] = byName[work.key].map {
                StoreJob(work.value, at: place(of: $0, others: others))
            }
        }
    }

    /// Asks stores, each in a process of its own.
    private func ask<Answer: Codable & Sendable>(
        _ jobs: [Name: StoreJob], _ control: RunControl, for _: Answer.Type
    ) -> [Name: Result<Answer, StoreError>] {
        let works = jobs.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        let answers = WorkerPlaces(workers: policy.workers).map(works, SystemTime.monotonic) { name, job in
            Result { () throws(StoreError) in
                try WorkerProcess.answer(to: job, of: name, control, as: Answer.self)
            }
        }
        return Dictionary(uniqueKeysWithValues: zip(works.map(\.0), answers))
    }

    /// Whether the rule is one of the built-in policy, on the default store.
    private func isBuiltIn(_ rule: RetentionRule) -> Bool {
        guard defaultStore.contains(rule.store),
            let builtIn = try? RetentionPolicy.builtIn(timeZone: policy.timeZone)
        else { return false }
        return builtIn.rule(named: rule.name) == rule
    }

    /// The error of a built-in rule. It fits each store of this version, so the store is older, or another app's.
    private static func outdated<Kind>(_ error: Explained<Kind>) -> Explained<Kind> {
        Explained(
            error.kind, operation: error.operation, place: error.place, cause: error.cause,
            hint:
                "a store of an older version is completed when the service starts, and by `pruned --run-now`",
            setting: error.setting)
    }

    /// The report of a dry run, with the hints for built-in rules on an older store, which the run itself completes first.
    func hinted(_ report: PruneReport) -> PruneReport {
        var report = report
        for (index, rule) in report.rules.enumerated() {
            guard let failure = rule.failure, failure.kind == .fault(.schema),
                let rule = policy.rule(named: rule.rule), isBuiltIn(rule)
            else { continue }
            report.rules[index].failure = Self.outdated(failure)
        }
        return report
    }
}

/// Whose turn it is to prune the archives that no store fills: a service runs each store by itself, and once in a while
/// is enough.
private final class AbandonedTurn: Sendable {
    private let last = Mutex<Duration?>(nil)
    private static let pause = Duration.seconds(3_600)

    func take(at now: Duration) -> Bool {
        last.withLock { last in
            if let last, now - last < Self.pause { return false }
            last = now
            return true
        }
    }
}
