import Archive
import FoundationEssentials
import Glibc
import Pruning
import Retention
import SQLitePruning

/// The archives of a state directory: one for each store, those of stores that the policy no longer has, and that of an older
/// version, which had one for all stores.
struct Archives: Sendable {
    let policy: RetentionPolicy
    let stateDirectory: String
    /// Tells other processes who prunes an archive.
    let holder: String

    /// The archive of a store; without one that of an older version.
    func file(of store: Name?) -> ArchiveFile {
        ArchiveFile(stateDirectory: stateDirectory, of: store, limit: policy.archiveLimit)
    }

    /// The archive of a store, as a store.
    func store(of name: Name?) -> any PrunableStore {
        file(of: name).store(holder: holder, monotonic: SystemTime.monotonic)
    }

    /// All that exist. What a person has set aside is none. Throws if it is unknown which do.
    func names() throws(StoreError) -> [Name?] {
        let stores = Set(policy.stores.map(\.name))
        let found = try ArchiveFile.stores(in: stateDirectory).filter {
            stores.contains($0) || !$0.description.hasSuffix(".damaged")
        }
        let all: [Name?] = [nil] + found
        return all.filter { file(of: $0).exists }
    }

    /// Those that may have leases of any store's rows.
    func others() -> OtherArchives {
        let stores = policy.stores.map(\.name)
        do throws(StoreError) {
            let own = Set(stores)
            let names = try names().filter { name in name.map { !own.contains($0) } ?? true }
            return OtherArchives(names, failure: nil, stores: stores)
        } catch {
            return OtherArchives([], failure: error, stores: stores)
        }
    }

    /// Those that no run of a store prunes: nothing fills them any more. Which these are is unknown where it cannot be read;
    /// that is said by who needs an archive.
    func abandoned() -> [any PrunableStore] {
        let pruned = Set(policy.rules.map(\.store))
        let names = (try? names()) ?? []
        return names.filter { name in name.map { !pruned.contains($0) } ?? true }.map(store(of:))
    }

    /// What a worker process needs to open an archive alone; nil if `store` is none.
    func place(of store: any PrunableStore) -> StoreJob.Place? {
        guard store.definition.name == ArchivePruning.name, let names = try? names() else { return nil }
        return names.first { file(of: $0).path == store.definition.place }.map(place(of:))
    }

    private func place(of name: Name?) -> StoreJob.Place {
        StoreJob.Place(
            stateDirectory: stateDirectory, store: nil, archive: name, policy: policy, hasArchive: true,
            holder: holder, process: getpid())
    }

    /// What all archives but that of a store take, if they have a limit.
    func bytes(beside store: Name) -> Int64 {
        guard policy.archiveLimit.total != nil, let names = try? names() else { return 0 }
        return names.filter { $0 != store }.map { file(of: $0).bytes }.reduce(0, +)
    }

    /// What they contain, the latest run first, each with the archive, and why some cannot be read.
    func parts(_ control: RunControl) -> (
        parts: [(part: ArchivedPart, in: Name?)], failures: [StoreError]
    ) {
        var (parts, failures): ([(part: ArchivedPart, in: Name?)], [StoreError]) = ([], [])
        do throws(StoreError) {
            let names = try names()
            let told = WorkerPlaces(workers: policy.workers).map(names, SystemTime.monotonic) { name in
                Result { () throws(StoreError) in try contents(of: name, control) }
            }
            for (name, contents) in zip(names, told) {
                switch contents {
                case .success(let own): parts += own.map { ($0, name) }
                case .failure(let error): failures.append(error)
                }
            }
        } catch {
            failures.append(error)
        }
        parts.sort { a, b in
            a.part.runID == b.part.runID ? a.part.rule < b.part.rule : a.part.runID > b.part.runID
        }
        return (parts, failures)
    }

    /// What the archive of `name` has of a part, as text from a position on.
    func text(
        of part: ArchivedPart, in name: Name?, as format: ExportFormat, from position: ExportPosition,
        _ control: RunControl
    ) throws(StoreError) -> ExportedText {
        try WorkerProcess.answer(
            to: StoreJob(.archiveText(of: part, as: format, from: position), at: place(of: name)),
            of: ArchivePruning.name, control)
    }

    private func contents(of name: Name?, _ control: RunControl) throws(StoreError) -> [ArchivedPart] {
        let job = StoreJob(.archiveContents, at: place(of: name))
        let told = try WorkerProcess.answer(
            to: job, of: ArchivePruning.name, control, as: [ArchivedPart].self)
        // What belongs to another store was put there by somebody else than pruned.
        if let name, let foreign = told.first(where: { $0.store != name }) {
            throw StoreError(
                .damaged, operation: "list the archive", place: file(of: name).path,
                cause: "it has rows of store \(foreign.store), which has an archive of its own",
                hint: "move it away, and find out who wrote to it")
        }
        return told.filter(\.isPlausible)
    }

    /// How large those are that belong to no store of the policy.
    func otherStatuses(_ control: RunControl) -> [StoreStatus] {
        let others = others()
        let unknown = others.failure.map { error in
            StoreStatus(
                of: StoreDefinition(name: ArchivePruning.name, path: stateDirectory + "/archive"), lost: error
            )
        }
        return others.names.map { name in
            let definition = StoreDefinition(name: ArchivePruning.name, path: file(of: name).path)
            do throws(StoreError) {
                let job = StoreJob(.fit(of: [], isMeasured: true), at: place(of: name))
                let fit = try WorkerProcess.answer(
                    to: job, of: ArchivePruning.name, control, as: StoreFit.self)
                guard let look = fit.store else { throw .strangeAnswer(at: definition.place) }
                return StoreStatus(of: definition, look)
            } catch {
                return StoreStatus(of: definition, lost: error)
            }
        } + [unknown].compactMap(\.self)
    }
}
