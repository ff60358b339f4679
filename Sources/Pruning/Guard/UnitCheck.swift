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
        guard rule.expiry.column != nil else { return }
        var misfit: StoreError?
        for rows in Self.samples {
            misfit = misfitting(try view.timeSample(of: task, rows: rows))
            if misfit == nil { return }
        }
        if let misfit { throw misfit }
    }

    private func misfitting(_ sample: TimeSample) -> StoreError? {
        let column = "\(rule.table).\(rule.expiry.column ?? "")"
        let areDeadlines = if case .deadline = rule.expiry { true } else { false }
        switch UnitDiagnosis(of: sample, in: rule.time, areDeadlines: areDeadlines, at: task.start) {
        case .fits: return nil
        case .misfits(let other):
            let implausible = sample.count - sample.plausible(in: rule.time)
            return error(
                "\(implausible.grouped) of \(sample.count.grouped) sampled values of \(column) cannot be times in"
                    + " \(rule.time.words)",
                hint: other.map(advice) ?? Self.unknown(sample),
                about: other == nil ? columnSetting : unitSetting)
        case .isOff(let other):
            return error(
                "the values of \(column) lie decades from now as \(rule.time.words)",
                hint: advice(other), about: unitSetting)
        case .isOld(let other):
            return error(
                "no value of \(column) lies within a year of now as \(rule.time.words)",
                hint: advice(other), about: unitSetting)
        case .isUnread(let format):
            return error(
                "the values of \(column) look like \(format.words), which pruned does not read",
                hint: "name another column that has the rows' time", about: columnSetting)
        }
    }

    private func advice(_ other: TimeFormat) -> String {
        let rest = rule.time.saidEpoch != nil && other.saidEpoch == nil ? ", and remove epoch" : ""
        return "these are \(other.words); write \(other.settings)\(rest)"
    }

    /// What to do about values that are times in no known format.
    private static func unknown(_ sample: TimeSample) -> String {
        let areNumbers = sample.integers.count + sample.fractions.count > sample.others + sample.dates
        return areNumbers
            ? "if these are times, their format is not known; name another column that has the rows' time"
            : "these are not times; name the column that has the rows' time"
    }

    private var unitSetting: BlamedSetting {
        BlamedSetting(of: rule.name, [RuleKey.unit.rawValue], value: "\"\(rule.time.unit.rawValue)\"")
    }

    private var columnSetting: BlamedSetting {
        BlamedSetting(
            of: rule.name, [rule.expiry.keys?.column.rawValue].compactMap(\.self),
            value: rule.expiry.column.map { "\"\($0)\"" })
    }

    private func error(_ cause: String, hint: String, about setting: BlamedSetting) -> StoreError {
        StoreError(
            .schema, operation: "apply rule \(rule.name)", place: place, cause: cause, hint: hint,
            setting: setting)
    }
}
