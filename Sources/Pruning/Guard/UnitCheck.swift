import Retention

/// Refuses a rule whose unit is not that of its time column.
package struct UnitCheck {
    private let task: PruneTask
    private let place: String
    private var rule: RetentionRule { task.rule }

    /// The check of a task on the store at `place`.
    package init(task: PruneTask, place: String) {
        self.task = task
        self.place = place
    }

    /// How many rows at each end of the table are sampled. A few hundred take less than a millisecond. Only if they
    /// look wrong is the larger sample read, which takes some hundredths of a second. It is needed because in a table
    /// stored in time order, a few odd values all lie at the ends.
    private static let samples = [200, 20_000]

    /// Throws ``StoreErrorKind/schema`` when most of a sample cannot be times in the rule's unit.
    package func check(_ view: any ViewContext) throws(StoreError) {
        var misfit: StoreError?
        for rows in Self.samples {
            misfit = misfitting(try view.timeSample(of: task, rows: rows))
            if misfit == nil { return }
        }
        if let misfit { throw misfit }
    }

    private func misfitting(_ sample: TimeSample) -> StoreError? {
        guard case .misfits(let other) = UnitDiagnosis(of: sample, in: rule.unit) else { return nil }
        let implausible = sample.count - sample.plausible(in: rule.unit)
        return StoreError(
            .schema, operation: "apply rule \(rule.name)", place: place,
            cause: "\(implausible.grouped) of \(sample.count.grouped) sampled values"
                + " of \(rule.table).\(rule.expiry.column) cannot be times in \(rule.unit)",
            hint: other.map { "these are \($0); write unit = \"\($0.rawValue)\"" }
                ?? sample.hint)
    }
}
