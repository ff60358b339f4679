import Retention

/// A store's size and free space.
package struct StoreStatus: Equatable, Sendable {
    package let name: Name
    package let path: String
    /// Whether the file exists.
    package let exists: Bool
    /// Its size; nil when the file does not exist or cannot be read.
    package let space: FreeSpace?
    /// The run that prunes it now, as that run describes itself; nil when none is seen.
    package let holder: String?
    /// Why it cannot be read.
    package let failure: StoreError?

    /// Reads the status of a store, and changes nothing.
    package init(_ store: any PrunableStore, _ control: RunControl) {
        name = store.definition.name
        path = store.definition.place
        exists = store.exists()
        holder = store.claimHolder()
        guard exists else {
            (space, failure) = (nil, nil)
            return
        }
        do throws(StoreError) {
            let view = try store.openView(control)
            defer { view.close() }
            (space, failure) = (try view.size(), nil)
        } catch {
            (space, failure) = (nil, error)
        }
    }
    /// The archives in `directory` as one, with the failure of the first that cannot be read; nil if there are none.
    package init?(_ archives: [any PrunableStore], in directory: String, _ control: RunControl) {
        let all = archives.map { StoreStatus($0, control) }
        guard let shown = all.first(where: { $0.failure != nil }) ?? all.first else { return nil }
        path = shown.failure == nil ? directory : shown.path
        (name, exists, failure) = (shown.name, true, shown.failure)
        holder = all.lazy.compactMap(\.holder).first
        let spaces = all.compactMap(\.space)
        space =
            spaces.isEmpty
            ? nil
            : FreeSpace(
                bytes: spaces.map(\.bytes).reduce(0, +), freeBytes: spaces.map(\.freeBytes).reduce(0, +),
                unitBytes: spaces[0].unitBytes)
    }
}
