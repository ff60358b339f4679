import RuleEngine

extension ExpiryCondition {
    /// Why a row goes or stays; in a statement that has ``join`` and ``with(of:)``.
    var reasons: RowReasons {
        var reasons = RowReasons(bound.rule, bound.conditions)
        reasons.isUnleased = leased.map { ($0.isAbsent, $0.end) }
        reasons.isOlder = newest.map { "(\($0.isOlder)) IS TRUE" }
        reasons.isFree = notHeld.map { ("(\($0))", bound.binding.ownKeyNames) }
        reasons.isUnkept = bound.keepers.map(isAbsent)
        return reasons
    }
}
