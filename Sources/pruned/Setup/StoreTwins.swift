import Glibc
import PolicyFile
import Pruning
import Retention
import SQLitePruning

/// Refuses two names for the same store, which would let two workers prune it. Also refuses the archive as a store, since
/// it is pruned by its own rules. Opens none of them.
struct StoreTwins {
    private let stores: [StoreDefinition]
    private let archive: String
    private let stateDirectory: String
    private let origins: SettingOrigins

    /// `archive` is the archive's path.
    init(
        _ stores: [StoreDefinition], archive: String, _ stateDirectory: String, _ origins: SettingOrigins
    ) {
        self.stores = stores
        self.archive = Self.file(at: archive)
        self.stateDirectory = stateDirectory
        self.origins = origins
    }

    /// For the stores of a configuration.
    init(_ configuration: Configuration, stateDirectory: String) {
        let policy = configuration.policy
        let archive = SQLiteArchive(
            stateDirectory: stateDirectory, limit: policy.archiveLimit,
            stores: Set(policy.stores.map(\.name)))
        self.init(policy.stores, archive: archive.path, stateDirectory, configuration.origins)
    }

    func refuse() throws(Failure) {
        var files: [String: Name] = [:]
        var connections: [ConnectionString: Name] = [:]
        for store in stores {
            switch store.kind {
            case .sqlite(let path):
                let path = path.absolute(in: stateDirectory)
                let file = Self.file(at: path)
                guard file != archive else {
                    throw Failure(
                        .configuration, "\(setting("path", of: store)): \(path) is the archive",
                        hint: "rows leave it when their archive_keep is over; remove the store")
                }
                if let twin = files.updateValue(store.name, forKey: file) {
                    throw refusal("\(setting("path", of: store)): \(path) is the file of store \(twin), too")
                }
            case .postgresql(let connection):
                if let twin = connections.updateValue(store.name, forKey: connection) {
                    throw refusal(
                        "\(setting("url", of: store)): \(store.place) is the database of store \(twin), too")
                }
            }
        }
    }

    private func refusal(_ reason: String) -> Failure {
        Failure(.configuration, reason, hint: "give the rules of both to one store")
    }

    private func setting(_ key: String, of store: StoreDefinition) -> BlamedSetting {
        BlamedSetting(["store", store.name.description, key]).located(by: origins)
    }

    /// Identifies the file at `path`. If the file or a part of the path is missing, uses the path as written.
    private static func file(at path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path.withoutDots }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

extension String {
    /// The path, below `directory` if it is relative.
    func absolute(in directory: String) -> String { hasPrefix("/") ? self : directory + "/" + self }
}
