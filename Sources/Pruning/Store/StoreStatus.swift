import Retention

/// A store's size and free space.
package struct StoreStatus: Equatable, Sendable {
    package let name: Name
    package let path: String
    /// Whether the file exists.
    package let exists: Bool
    /// Its size; nil when the file does not exist or cannot be read.
    package let space: FreeSpace?
    /// Whether it is a SQLite file that pruned does not shrink.
    private let isForVacuum: Bool
    /// What VACUUM would take; nil if that is not worth it.
    package var vacuum: (freePercent: Int, bytes: Int64, duration: Duration)? {
        isForVacuum ? space?.vacuum : nil
    }
    /// The run that prunes it now, as that run describes itself; nil when none is seen.
    package let holder: String?
    /// Why it cannot be read.
    package let failure: StoreError?

    /// What `look` saw of a store, in texts that may be shown. Numbers that are none count as unknown.
    package init(of store: StoreDefinition, _ look: Look) {
        (name, path, exists) = (store.name, store.place, look.exists)
        space = look.space.flatMap { $0.bytes.isCount && $0.freeBytes.isCount ? $0 : nil }
        isForVacuum = store.format == .sqlite && store.name != RetentionPolicy.archiveName
        (holder, failure) = (look.holder?.cleaned, look.failure?.cleaned)
    }

    /// That of a store that was not asked, or could not be.
    package init(of store: StoreDefinition, lost error: StoreError? = nil) {
        (name, path, exists) = (store.name, store.place, true)
        (space, isForVacuum, holder, failure) = (nil, false, nil, error)
    }

    /// Archives in `directory` as one, with the failure of the first that cannot be read; nil if there are none.
    package init?(_ archives: [StoreStatus], in directory: String) {
        guard let shown = archives.first(where: { $0.failure != nil }) ?? archives.first else { return nil }
        path = shown.failure == nil ? directory : shown.path
        (name, exists, isForVacuum, failure) = (shown.name, true, false, shown.failure)
        holder = archives.lazy.compactMap(\.holder).first
        let spaces = archives.compactMap(\.space)
        space = spaces.first.map { first in
            FreeSpace(
                bytes: spaces.map(\.bytes).reduce(0, +), freeBytes: spaces.map(\.freeBytes).reduce(0, +),
                unitBytes: first.unitBytes)
        }
    }
}

extension StoreStatus {
    /// What is seen of a store, which is changed by nothing.
    package struct Look: Codable, Sendable {
        fileprivate let exists: Bool
        fileprivate var space: FreeSpace?
        fileprivate let holder: String?
        fileprivate var failure: StoreError?

        init(at store: any PrunableStore, _ control: RunControl) {
            exists = store.exists()
            holder = store.claimHolder()
            guard exists else { return }
            do throws(StoreError) {
                let view = try store.openView(control)
                defer { view.close() }
                space = try view.size()
            } catch {
                failure = error
            }
        }
    }
}
