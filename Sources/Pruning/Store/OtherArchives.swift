import Retention

/// The archives that may have leases of a store's rows beside its own: those of stores that the policy no longer has, as the
/// store may have had that name, and the one for all stores of an older version.
package struct OtherArchives: Codable, Sendable {
    /// The stores whose archives they are; nil for that of an older version.
    package let names: [Name?]
    /// The stores of the policy. The lease of another one counts for any store.
    package let stores: [Name]
    /// Why it is unknown which there are.
    package let failure: StoreError?

    package static let none = OtherArchives([], failure: nil, stores: [])

    package init(_ names: [Name?], failure: StoreError?, stores: [Name]) {
        (self.names, self.failure) = (names, failure)
        self.stores = names.isEmpty ? [] : stores
    }
}
