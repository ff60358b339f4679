import Retention

/// Refuses a rule whose unit is not the one that its time column counts.
package struct UnitCheck {
    private let task: PruneTask
    private let place: String
    private var rule: RetentionRule { task.rule }

    /// The check of a task on the store at `place`.
    package init(task: PruneTask, place: String) {
        self.task = task
        self.place = place
    }

    /// How many rows at either end of the table are looked at: some hundred, in less than a millisecond. Only if they
    /// look wrong, many more, in some hundredths of a second: where a table is stored in the order of its times, its
    /// ends are where all of a few odd ones stand.
    private static let samples = [200, 20_000]

    /// Throws ``StoreError/Kind-swift.enum/schema`` when most of a sample cannot be times in the rule's unit.
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
            cause: "\(implausible) of \(sample.count) sampled values of \(rule.table).\(rule.expiry.column)"
                + " cannot be times in \(rule.unit)",
            hint: other.map { "these are \($0); write unit = \"\($0.rawValue)\"" }
                ?? sample.hint)
    }
}
