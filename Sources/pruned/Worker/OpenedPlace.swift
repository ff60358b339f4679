import Archive
import MariaDBPruning
import PostgreSQLPruning
import Pruning
import Retention
import SQLitePruning

/// The store and the archive of a job.
struct OpenedPlace {
    private let place: StoreJob.Place
    let store: any PrunableStore
    let archive: any PrunableStore
    let file: ArchiveFile

    init(_ place: StoreJob.Place) {
        let file = Self.archive(place.archive, of: place)
        (self.place, self.file) = (place, file)
        archive = file.store(holder: place.holder, monotonic: SystemTime.monotonic)
        store = place.store.map { Self.store($0, rules: place.rules, at: place, file) } ?? archive
    }

    /// The store by another definition. A path must be the same.
    func reopened(as definition: StoreDefinition, rules: [RetentionRule]) -> any PrunableStore {
        Self.store(definition, rules: rules, at: place, file)
    }

    /// The archive of a store, or that of an older version, for a job.
    static func archive(_ name: Name?, of place: StoreJob.Place) -> ArchiveFile {
        ArchiveFile(
            stateDirectory: place.stateDirectory, of: name, limit: place.archiveLimit, others: place.others,
            obstacle: place.obstacle)
    }

    /// A look at a store without rules. A path must be absolute.
    static func sketching(_ kind: StoreDefinition.Kind, _ control: RunControl) -> any StoreSketching {
        switch kind {
        case .sqlite(let path): SQLiteSketching(path: path, control: control)
        case .postgresql(let connection): PostgreSQLSketching(connection, control: control)
        case .mariadb(let connection): MariaDBSketching(place: connection.redacted)
        }
    }

    /// What tells the stores of a family apart, or the names of the tables that do.
    static func members(of family: StoreDefinition, _ control: RunControl) throws(StoreError) -> FoundStores {
        switch (family.kind, family.family) {
        case (_, .paths(let pattern)): try MatchingFiles(pattern).found()
        case (.postgresql(let url), .some(let parts)):
            FoundStores(
                members: try PostgreSQLSketching(url, control: control).tableNames(
                    withSchema: parts.placeholder == "{schema}"))
        case (.mariadb(let url), _):
            FoundStores(members: try MariaDBSketching.tableNames(url: url.text, place: url.redacted, control))
        default: FoundStores()
        }
    }

    private static func store(
        _ definition: StoreDefinition, rules: [RetentionRule], at place: StoreJob.Place,
        _ archive: ArchiveFile
    ) -> any PrunableStore {
        switch definition.kind {
        case .sqlite(let path):
            SQLiteStore(
                definition, path: path, holder: place.holder, archive: archive, rules: rules,
                lockTime: LockTime(place.lockTime), monotonic: SystemTime.monotonic)
        case .postgresql(let url):
            PostgreSQLStore(
                definition, url: url.text, holder: "pruned \(HostName.current):\(place.process)",
                archive: archive, rules: rules, lockTime: LockTime(place.lockTime),
                monotonic: SystemTime.monotonic)
        case .mariadb(let url):
            MariaDBStore(
                definition, url: url.text, archive: archive, rules: rules, lockTime: LockTime(place.lockTime),
                monotonic: SystemTime.monotonic)
        }
    }
}
