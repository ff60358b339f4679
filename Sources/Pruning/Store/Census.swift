/// What a rule's table holds, counted once when a run begins.
package struct Census: Equatable, Sendable {
    /// The rows that the rule would delete.
    package let expired: Int64
    /// The rows that stay because their time cannot be a time in the rule's unit. A deadline that is NULL is no such time:
    /// it never comes.
    package let implausible: Int64

    /// See the properties.
    package init(expired: Int64, implausible: Int64) {
        self.expired = expired
        self.implausible = implausible
    }
}
