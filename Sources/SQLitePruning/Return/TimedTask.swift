import Pruning

extension PruneTask {
    /// The task without what protects rows that are old enough. What does not decide need not be looked for, which may
    /// take long.
    var byTimeAlone: PruneTask {
        var rule = rule
        (rule.condition, rule.protect, rule.keepLast, rule.keepLastPer) = (nil, [], nil, [])
        return PruneTask(rule, start: start, in: timeZone)
    }
}
