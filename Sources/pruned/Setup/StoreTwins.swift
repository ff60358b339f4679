import Archive
import DefaultStore
import Glibc
import PolicyFile
import Pruning
import Retention
import SQLitePruning

/// Refuses two names for the same file, which would let two workers prune it, and for the same table of a database, whose
/// rules would have no order. Also refuses the archive as a store, since it is pruned by its own rules. Opens none of them.
struct StoreTwins {
    private let policy: RetentionPolicy
    private let stateDirectory: String
    private let origins: SettingOrigins

    init(_ policy: RetentionPolicy, _ stateDirectory: String, _ origins: SettingOrigins) {
        (self.policy, self.stateDirectory, self.origins) = (policy, stateDirectory, origins)
    }

    /// For the stores of a configuration.
    init(_ configuration: Configuration, stateDirectory: String) {
        self.init(configuration.policy, stateDirectory, configuration.origins)
    }

    /// Whether the file at a resolved path is pruned's own.
    private func isArchive(_ file: String) -> Bool {
        let own = [ArchiveFile(stateDirectory: stateDirectory, of: nil, limit: policy.archiveLimit).path]
        return file.hasPrefix(Self.file(at: stateDirectory + "/archive") + "/")
            || own.contains { Self.file(at: $0) == file }
    }

    func refuse() throws(Failure) {
        var files: [String: Name] = [:]
        var tables: [String: [(name: String, store: Name)]] = [:]
        for store in policy.stores.map({ $0.absolute(in: stateDirectory) }) {
            switch store.kind {
            case .sqlite(let path):
                let file = Self.file(at: path)
                guard !isArchive(file) else {
                    throw Failure(
                        .configuration, "\(setting("path", of: store)): \(path) is an archive",
                        hint: "rows leave it when their archive_keep is over; remove the store")
                }
                if let twin = files.updateValue(store.name, forKey: file) {
                    throw Failure(
                        .configuration,
                        "\(setting("path", of: store)): \(path) is the file of store \(twin), too",
                        hint: "give the rules of both to one store")
                }
            case .postgresql, .mariadb:
                let own = policy.tablesChanged(in: store.name)
                let others = tables[store.place, default: []]
                if let twin = others.first(where: { other in own.contains { other.name.names($0) } }) {
                    throw Failure(
                        .configuration,
                        "\(setting("url", of: store)): \(store.place) is the database of store \(twin.store), too, and "
                            + "both have rules on \(twin.name)",
                        hint:
                            "give the rules on a table to one store; another user's tables have another prefix"
                    )
                }
                tables[store.place] = others + own.map { ($0, store.name) }
            }
        }
    }

    /// What was found for the families, without the files that another store has, or a family before.
    func settled(_ found: [Name: FoundStores]) -> [Name: FoundStores] {
        var files: [String: String] = [:]
        for store in policy.stores.map({ $0.absolute(in: stateDirectory) }) where store.family == nil {
            if let path = store.file { files[Self.file(at: path)] = "store \(store.name)" }
        }
        var settled = found
        for store in policy.stores.map({ $0.absolute(in: stateDirectory) }) {
            guard case .paths(let pattern) = store.family else { continue }
            var own = settled[store.name] ?? FoundStores()
            let members = own.members
            own.members = []
            for text in members {
                let path = pattern.with(text)
                let file = Self.file(at: path)
                if let twin = isArchive(file) ? "an archive" : files[file].map({ "the file of \($0), too" }) {
                    own.refused.append("\(path) is \(twin)")
                } else {
                    own.members.append(text)
                    files[file] = "store \(store.name)/\(text)"
                }
            }
            settled[store.name] = own
        }
        return settled
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

extension RetentionPolicy {
    /// The tables from which the rules of a store delete rows, or to which they write.
    fileprivate func tablesChanged(in store: Name) -> Set<String> {
        Set(
            rules.filter { $0.store == store }.flatMap {
                [$0.table] + $0.dependents + [$0.tombstone?.table].compactMap(\.self)
            })
    }
}

extension StoreDefinition {
    /// The same with an absolute path: a relative one starts at the state directory. That of the default store is where that
    /// is now.
    func absolute(in stateDirectory: String) -> StoreDefinition {
        guard case .sqlite(let named) = kind else { return self }
        let path = named.hasPrefix("/") ? named : stateDirectory + "/" + named
        var definition = self
        definition.kind = .sqlite(
            path: StateDirectory.isStore(path, in: stateDirectory)
                ? StateDirectory.store(in: stateDirectory) : path)
        if family != nil, let pattern = FamilyPattern(path) { definition.family = .paths(pattern) }
        return definition
    }
}

extension String {
    /// Whether it may be the same table's name as `other`: one of them may have the schema before it.
    fileprivate func names(_ other: String) -> Bool {
        self == other || hasSuffix("." + other) || other.hasSuffix("." + self)
    }
}
