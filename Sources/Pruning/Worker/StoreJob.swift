import FoundationEssentials
import Retention

/// What a worker process is told: one store, its rules, and all that a run of them needs.
package struct StoreJob: Codable, Sendable {
    /// What the worker needs to open the store and the archive.
    package struct Place: Codable, Sendable {
        /// An absolute path.
        package private(set) var stateDirectory: String
        /// The store; nil for an archive alone.
        package let store: StoreDefinition?
        /// The store whose archive it is; nil for that of older versions.
        package let archive: Name?
        /// All rules of the store, whether or not they run: its schema must have what they name.
        package let rules: [RetentionRule]
        package let archiveLimit: ArchiveLimit
        /// What else may have leases.
        package let others: OtherArchives
        /// Why nothing can be archived.
        package let obstacle: StoreError?
        /// The longest lock time that a batch should have.
        package let lockTime: Duration
        /// The process that starts the worker, as it describes itself to others who look at the store's lock.
        package let holder: String
        /// Its number.
        package let process: Int32

        /// Whether the archive is asked for rows that were put back, or gets rows.
        package let usesArchive: Bool

        /// Whether it is a file, which no server has opened.
        package var isFile: Bool { store.map { $0.file != nil } ?? true }

        package init(
            stateDirectory: String, store: StoreDefinition?, archive: Name?, policy: RetentionPolicy,
            hasArchive: Bool, othersBytes: Int64 = 0, others: OtherArchives = .none,
            obstacle: StoreError? = nil, holder: String, process: Int32
        ) {
            self.stateDirectory = stateDirectory
            (self.store, self.archive) = (store, archive)
            (self.holder, self.process) = (holder, process)
            let own = policy.rules.filter { $0.store == store?.name }
            rules = own
            usesArchive = hasArchive || store == nil || own.contains { $0.archiveKeep != nil }
            (archiveLimit, lockTime) = (policy.archiveLimit.beside(othersBytes), policy.lockTime)
            (self.others, self.obstacle) = (others, obstacle)
        }

        /// The same as if nothing had ever been archived.
        package var withoutArchives: Place {
            var place = self
            place.stateDirectory = "/proc/none"
            return place
        }

        /// A store that no policy has.
        package init(_ store: StoreDefinition, holder: String, process: Int32) {
            (stateDirectory, self.store, archive) = ("/", store, nil)
            (rules, usesArchive) = ([], false)
            (archiveLimit, lockTime) = (
                RetentionPolicy.defaultArchiveLimit, RetentionPolicy.defaultLockTime
            )
            (others, obstacle) = (.none, nil)
            (self.holder, self.process) = (holder, process)
        }
    }

    package let place: Place
    package let work: Work

    /// What is to be done.
    package enum Work: Codable, Sendable {
        case run(Run)
        /// Whether the store can be pruned, and whether these rules fit it; if so asked, also how large it and its archive are.
        case fit(of: [RetentionRule], isMeasured: Bool)
        /// The newest times in the tables of these rules up to a date: evidence on the clock.
        case newestTimes(of: [RetentionRule], notAfter: Date)
        /// Figures for the metrics, with how far behind these tasks are.
        case measures(of: [PruneTask])
        /// Whether a run of these tasks would do.
        case check([PruneTask])
        /// Why a run of this task would take the row with this key, or leave it.
        case judgement(of: [String], by: PruneTask)
        /// The tables that its rules use.
        case schema
        /// The stores of a family.
        case members
        /// What rules the store could have.
        case suggestion(SuggestionJob)
        case restore(PartRestore)
        /// What the archive contains.
        case archiveContents
        /// What the archive has of a part, as text from a position on.
        case archiveText(of: ArchivedPart, as: ExportFormat, from: ExportPosition)
        /// Makes the default store, or completes one of an older version.
        case creation(isMissing: Bool)
        /// Moves the default store of an older version into the directory that is shared with the app.
        case move
    }

    /// Whether a stop lets it end what it has begun.
    package var changesStore: Bool {
        switch work {
        case .run, .restore, .creation, .move: true
        case .fit, .newestTimes, .measures, .check, .judgement, .schema, .members, .suggestion,
            .archiveContents, .archiveText:
            false
        }
    }

    /// What is put back from the archive.
    package struct PartRestore: Codable, Sendable {
        package let part: ArchivedPart
        package let leaseEnd: Date
        package let dryRun: Bool
        package let lockTime: Duration

        package init(_ part: ArchivedPart, leaseEnd: Date, dryRun: Bool, lockTime: Duration) {
            (self.part, self.leaseEnd, self.dryRun) = (part, leaseEnd, dryRun)
            self.lockTime = lockTime
        }
    }

    package init(_ work: Work, at place: Place) { (self.place, self.work) = (place, work) }

    /// The job of doing `run` on the store at `place`.
    package init(_ run: StoreRun, at place: Place) { (self.place, work) = (place, .run(Run(run))) }
}

extension StoreJob {
    /// The run of a store's rules.
    package struct Run: Codable, Sendable {
        private let tasks: [PruneTask]
        private let settings: Settings
        private let clock: ClockReading?

        /// The part of ``RunSettings`` that a store's run needs.
        private struct Settings: Codable {
            let dryRun, isPresumedEmpty, countsKept, showsAges, coversConfirmed: Bool
            let lockTime, patience: Duration
            let accessPath: AccessPath?
            let memory: GuardMemory
            let program: String
        }

        fileprivate init(_ run: StoreRun) {
            tasks = run.tasks
            clock = run.clock.start
            let all = run.settings
            settings = Settings(
                dryRun: all.dryRun, isPresumedEmpty: all.presumedEmpty.contains(run.store.definition.name),
                countsKept: all.countsKept, showsAges: all.showsAges, coversConfirmed: all.holds != nil,
                lockTime: all.lockTime, patience: all.patience, accessPath: all.accessPath,
                memory: all.memory.of(run.tasks.map(\.rule.name)), program: all.program)
        }

        /// The run on `store`, with `archive` beside it, unless that is the store. `holds` records what goes of confirmed
        /// deletions, and `machine` are the clocks.
        package func made(
            on store: any PrunableStore, archive: any PrunableStore, holds: any ConfirmationMemory,
            machine: MachineClock, monotonic: @escaping @Sendable () -> Duration, control: RunControl,
            emit: @escaping @Sendable (PruneEvent) -> Void
        ) -> StoreRun {
            var all = RunSettings(
                dryRun: settings.dryRun, lockTime: settings.lockTime, patience: settings.patience,
                accessPath: settings.accessPath, countsKept: settings.countsKept,
                showsAges: settings.showsAges,
                memory: settings.memory, monotonic: monotonic)
            all.presumedEmpty = settings.isPresumedEmpty ? [store.definition.name] : []
            all.holds = settings.coversConfirmed ? holds : nil
            all.archive = { [name = store.definition.name] in
                $0 == name && name != ArchivePruning.name ? archive : nil
            }
            all.program = settings.program
            return StoreRun(
                store: store, tasks: tasks, settings: all, clock: RunClock(machine, since: clock),
                control: control, emit: emit)
        }
    }
}
