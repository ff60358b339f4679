/// Why rules and stores do not make a ``RetentionPolicy``.
package enum PolicyError: Error, Equatable, Sendable {
    case empty
    case duplicateStore(Name)
    case duplicateRule(Name)
    case unknownStore(rule: Name, store: Name)
    case reservedName(Name)
    case circularKeepers([Name])
}
