import RuleEngine

extension ExpiryCondition {
    /// Why a row goes or stays.
    var reasons: RowReasons {
        var reasons = RowReasons(bound.rule, bound.conditions, judged: afterMarks)
        reasons.isUnleased = notLeased.map { ("(\($0))", leasesEnd) }
        reasons.isOlder = isOlder
        reasons.hasKey = hasKey
        reasons.isFree = notReferredTo(bound.table.name).map { ("(\($0))", bound.binding.ownKeyNames) }
        reasons.isUnkept = bound.keepers.map { "(\(notKept(by: $0)))" }
        return reasons
    }
}
