import Archive
import PostgreSQLPruning
import Pruning
import Retention
import SQLitePruning

/// The store and the archive of a job.
struct OpenedPlace {
    let store: any PrunableStore
    let archive: any PrunableStore

    init(_ place: StoreJob.Place) {
        let file = ArchiveFile(
            stateDirectory: place.stateDirectory, limit: place.archiveLimit, stores: place.stores)
        archive = file.store(holder: place.holder, monotonic: SystemTime.monotonic)
        store = place.store.map { Self.store($0, place, file) } ?? archive
    }

    private static func store(
        _ definition: StoreDefinition, _ place: StoreJob.Place, _ archive: ArchiveFile
    ) -> any PrunableStore {
        switch definition.kind {
        case .sqlite(let path):
            SQLiteStore(
                definition, path: path, holder: place.holder, archive: archive, rules: place.rules,
                lockTime: LockTime(place.lockTime), monotonic: SystemTime.monotonic)
        case .postgresql(let url):
            PostgreSQLStore(
                definition, url: url.text, holder: "pruned \(HostName.current):\(place.process)",
                archive: archive,
                rules: place.rules, lockTime: LockTime(place.lockTime), monotonic: SystemTime.monotonic)
        }
    }
}
