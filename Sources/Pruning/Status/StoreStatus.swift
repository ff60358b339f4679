import Retention

/// How large a store is, and how much of it is free.
package struct StoreStatus: Equatable, Sendable {
    /// The store.
    package let name: Name
    /// Its path.
    package let path: String
    /// Whether there is such a file.
    package let exists: Bool
    /// Its size; nil when there is no such file, or it cannot be read.
    package let space: FreeSpace?
    /// Who prunes it just now, in that run's own words; nil when nobody is seen to.
    package let holder: String?
    /// Why it cannot be read.
    package let failure: StoreError?

    /// Looks at a store, and changes nothing.
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
}
