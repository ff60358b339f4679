/// An error for people: what was tried, where, why it failed and what helps.
package struct Explained<Reason: Hashable & Sendable>: Error, Equatable, Sendable {
    package typealias Kind = Reason

    /// What a caller does about the error depends on its kind alone.
    package let kind: Kind
    /// What was tried, such as "count the expired rows of read_record".
    package let operation: String
    /// Where: the path of the store.
    package let place: String
    /// Why it failed.
    package let cause: String
    /// What a person can do about it.
    package let hint: String?

    package init(_ kind: Kind, operation: String, place: String, cause: String, hint: String? = nil) {
        self.kind = kind
        self.operation = operation
        self.place = place
        self.cause = cause
        self.hint = hint
    }

    /// What, where and why, on one line.
    package var reason: String { "cannot \(operation) in \(place): \(cause)" }
}

extension Explained: CustomStringConvertible {
    /// ``reason``, with the hint where there is one.
    package var description: String { hint.map { "\(reason); \($0)" } ?? reason }
}
