import Archive
import FoundationEssentials
import Glibc
import Pruning
import Retention
import SQLitePruning
import Synchronization

/// The archives that no store of the policy fills: of stores that it had, and of an older version, which had one for all
/// stores. Their rows still expire and can be put back, and their leases count.
final class ArchivesElsewhere: Sendable {
    private let policy: RetentionPolicy
    private let stateDirectory: String
    private let holder: String
    /// What they gave a lease, and which are empty, once it was asked for.
    private let known = Mutex<(leases: LeasesElsewhere, empty: Set<String>)?>(nil)
    /// The sizes of all archives, once they were asked for.
    private let sizes = Mutex<[Name?: Int64]?>(nil)
    /// The name of each archive; nil for the one of an older version.
    private let names: [Name?]

    init(_ policy: RetentionPolicy, stateDirectory: String, holder: String) {
        (self.policy, self.stateDirectory, self.holder) = (policy, stateDirectory, holder)
        let stores = Set(policy.stores.map(\.name))
        let all: [Name?] = [nil] + ArchiveFile.stores(in: stateDirectory).filter { !stores.contains($0) }
        names = all.filter {
            ArchiveFile(stateDirectory: stateDirectory, of: $0, limit: policy.archiveLimit).exists
        }
    }

    var files: [ArchiveFile] {
        names.map { ArchiveFile(stateDirectory: stateDirectory, of: $0, limit: policy.archiveLimit) }
    }

    /// They as stores, so that their own rows can be pruned. Those that are empty are removed.
    func stores() -> [any PrunableStore] {
        let empty = ask().empty
        for file in files where empty.contains(file.path) { file.remove() }
        return files.filter { !empty.contains($0.path) }.map {
            $0.store(holder: holder, monotonic: SystemTime.monotonic)
        }
    }

    /// What a worker process needs to open `store`, if that is one of them.
    func place(of store: any PrunableStore) -> StoreJob.Place? {
        guard store.definition.name == ArchivePruning.name else { return nil }
        return zip(names, files).first { $1.path == store.definition.place }.map { place(of: $0.0) }
    }

    private func place(of name: Name?) -> StoreJob.Place {
        StoreJob.Place(
            stateDirectory: stateDirectory, store: nil, archive: name, policy: policy, hasArchive: true,
            othersBytes: 0, leases: .none, holder: holder, process: getpid())
    }

    /// What all archives but that of a store took when the first run asked, if there is a limit.
    func bytes(beside store: Name) -> Int64 {
        guard policy.archiveLimit.total != nil else { return 0 }
        let all = sizes.withLock { sizes in
            if let sizes { return sizes }
            let names = names + policy.stores.map(\.name)
            let all = Dictionary(
                uniqueKeysWithValues: names.map {
                    let file = ArchiveFile(stateDirectory: stateDirectory, of: $0, limit: policy.archiveLimit)
                    return ($0, file.bytes)
                })
            sizes = all
            return all
        }
        return all.filter { $0.key != store }.values.reduce(0, +)
    }

    /// Their leases that count for a store. The first call asks them, each in a process of its own.
    func leases(for store: Name) -> LeasesElsewhere {
        ask().leases.counting(for: store, of: Set(policy.stores.map(\.name)))
    }

    private func ask() -> (leases: LeasesElsewhere, empty: Set<String>) {
        known.withLock { known in
            if let known { return known }
            var all = (leases: LeasesElsewhere.none, empty: Set<String>())
            for (name, file) in zip(names, files) {
                let (leases, isEmpty) = ask(name)
                all.leases = all.leases.and(leases)
                if isEmpty { all.empty.insert(file.path) }
            }
            known = all
            return all
        }
    }

    private func ask(_ name: Name?) -> (LeasesElsewhere, isEmpty: Bool) {
        let control = RunControl(monotonic: SystemTime.monotonic)
        let job = StoreJob(leasesAt: SystemTime.now, of: place(of: name))
        do throws(StoreError) {
            switch try WorkerProcess.ask(job, of: ArchivePruning.name, control) {
            case .leases(let leases, let isEmpty): return (leases.cleaned, isEmpty)
            case .times, .fit:
                throw .lostWorker(
                    WorkerEnd("told what cannot be"), during: "look for rows that were put back",
                    at: OpenedPlace.archive(of: job.place).path)
            }
        } catch {
            return (.unknown(error), false)
        }
    }
}
