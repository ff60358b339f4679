import FoundationEssentials
import Retention

/// The metrics file's text.
package struct MetricsText: CustomStringConvertible {
    /// What the text needs besides ``Metrics``.
    package struct Context: Sendable {
        /// The rules and stores of the configuration. A store's path is absolute.
        package var rules: [RetentionRule], stores: [StoreDefinition]
        /// The archive's size limit.
        package var archiveLimit: ByteCount
        /// When the last completed run of each rule began.
        package var lastRuns: [Name: Date]
        package var version: String
        /// The time at which the text is written.
        package var now: Date

        package init(
            rules: [RetentionRule], stores: [StoreDefinition], archiveLimit: ByteCount,
            lastRuns: [Name: Date], version: String, now: Date
        ) {
            self.rules = rules
            self.stores = stores
            self.archiveLimit = archiveLimit
            self.lastRuns = lastRuns
            self.version = version
            self.now = now
        }
    }

    /// The line that says that the configuration is in force.
    static let configurationInForce = "pruned_config_ok 1"

    private typealias Sample = PrometheusText.Sample

    package let description: String

    /// Writes `metrics` for the rules and stores of `context`.
    ///
    /// Every series that an alert may use exists from the start, with values that mean "all is well, but no run has
    /// completed yet". An alert on a missing series never fires.
    package init(_ metrics: Metrics, _ context: Context) {
        var text = PrometheusText()
        Self.addRuns(of: metrics, context, to: &text)
        Self.addState(of: metrics, context, to: &text)
        Self.addStores(of: metrics, context, to: &text)
        Self.addArchive(of: metrics, context, to: &text)
        text.add(
            "pruned_written_timestamp_seconds", .gauge, "When this was written.",
            [Sample(value: context.now.timeIntervalSince1970.rounded(.down))])
        text.add(
            "pruned_build_info", .gauge, "The version of pruned that wrote this; the value is always 1.",
            [Sample(labels: [("version", context.version)], value: 1)])
        description = text.description
    }

    private static func addRuns(of metrics: Metrics, _ context: Context, to text: inout PrometheusText) {
        let rules = context.rules.map { rule in
            (name: rule.name, sum: metrics.rules[rule.name.description] ?? Metrics.Rule())
        }
        text.add(
            "pruned_rows_deleted_total", .counter, "Rows of the rule's own table that were deleted.",
            rules.map { Sample(labels: label($0.name), value: Double($0.sum.deleted)) })
        text.add(
            "pruned_dependents_deleted_total", .counter, "Rows of other tables that went with them.",
            rules.map { Sample(labels: label($0.name), value: Double($0.sum.dependentsDeleted)) })
        text.add(
            "pruned_rows_came_back_total", .counter,
            "Rows that were deleted and were found in the store again; only of rules with archive and identity.",
            context.rules.filter(\.isLookedFor).map { rule in
                let count = metrics.rules[rule.name.description]?.cameBack ?? 0
                return Sample(labels: label(rule.name), value: Double(count))
            })
        text.add(
            "pruned_rule_runs_total", .counter, "Runs of the rule, by how they ended.",
            rules.flatMap { rule in
                Outcome.allCases.map { outcome in
                    let count = rule.sum.runs[outcome.rawValue] ?? 0
                    return Sample(
                        labels: label(rule.name) + [("outcome", outcome.rawValue)], value: Double(count))
                }
            })
        text.add(
            "pruned_rule_duration_seconds", .summary, "How long the rule's runs took.",
            rules.flatMap { rule in
                let count = rule.sum.runs.values.reduce(0, +)
                return [
                    Sample(suffix: "_sum", labels: label(rule.name), value: rule.sum.seconds),
                    Sample(suffix: "_count", labels: label(rule.name), value: Double(count)),
                ]
            })
    }

    private static func addState(of metrics: Metrics, _ context: Context, to text: inout PrometheusText) {
        let rules = context.rules.map { (name: $0.name, sum: metrics.rules[$0.name.description]) }
        text.add(
            "pruned_backlog_seconds", .gauge,
            "How long ago the oldest row expired that the rule's last run left there; 0 when it left none.",
            rules.compactMap { rule in
                rule.sum?.backlogSeconds.map { Sample(labels: label(rule.name), value: $0) }
            })
        text.add(
            "pruned_rows_left", .gauge, "Expired rows that the rule's last run left; 0 when it left none.",
            rules.compactMap { rule in
                rule.sum?.backlog.map { Sample(labels: label(rule.name), value: Double($0.left)) }
            })
        text.add(
            "pruned_backlog_grows", .gauge,
            "Whether each of the rule's last three runs left more rows than the one before.",
            rules.map { Sample(labels: label($0.name), value: $0.sum?.backlog?.grows ?? false ? 1 : 0) })
        text.add(
            "pruned_rule_held", .gauge, "Whether the rule's last run was held for a person to look.",
            rules.map { Sample(labels: label($0.name), value: $0.sum?.isHeld ?? false ? 1 : 0) })
        text.add(
            "pruned_rule_last_outcome", .gauge,
            "How the rule's last run ended: 1 for that, 0 for all else, and for all before the first.",
            rules.flatMap { rule in
                Outcome.allCases.map { outcome in
                    Sample(
                        labels: label(rule.name) + [("outcome", outcome.rawValue)],
                        value: rule.sum?.lastOutcome == outcome.rawValue ? 1 : 0)
                }
            })
        text.add(
            "pruned_last_success_timestamp_seconds", .gauge,
            "When the rule's last run that came to its end began; 0 when none has.",
            rules.map { rule in
                let last = context.lastRuns[rule.name]?.timeIntervalSince1970 ?? 0
                return Sample(labels: label(rule.name), value: last)
            })
        text.add(
            "pruned_rule_interval_seconds", .gauge, "How long after a run the rule is due again.",
            context.rules.map { Sample(labels: label($0.name), value: $0.every.approximateSeconds) })
        text.add(
            "pruned_clock_trusted", .gauge, "Whether the system's clock was believed in the last run.",
            [Sample(value: metrics.isClockTrusted ?? true ? 1 : 0)])
        text.add(
            "pruned_config_ok", .gauge,
            "Whether the configuration as it was last read is in force; 0 when it was refused.",
            [Sample(value: metrics.isConfigurationInForce ?? true ? 1 : 0)])
    }

    private static func addStores(of metrics: Metrics, _ context: Context, to text: inout PrometheusText) {
        let stores = context.stores.map { store in
            (label: [("store", store.name.description)], seen: metrics.stores[store.name.description])
        }
        text.add(
            "pruned_batch_lock_seconds", .histogram, "How long a batch kept the store's write lock.",
            stores.flatMap { samples(of: $0.seen?.lockTimes ?? DurationHistogram(), $0.label) })
        text.add(
            "pruned_store_bytes", .gauge, "The size of the store's file.",
            stores.compactMap { store in
                store.seen?.bytes.map { Sample(labels: store.label, value: Double($0)) }
            })
        text.add(
            "pruned_store_free_bytes", .gauge, "What is free in the store's file and can be given back.",
            stores.compactMap { store in
                store.seen?.freeBytes.map { Sample(labels: store.label, value: Double($0)) }
            })
        text.add(
            "pruned_store_info", .gauge, "Where the store is; the value is always 1.",
            context.stores.map {
                Sample(labels: [("store", $0.name.description), ("path", $0.place)], value: 1)
            })
    }

    private static func addArchive(of metrics: Metrics, _ context: Context, to text: inout PrometheusText) {
        text.add(
            "pruned_archive_bytes", .gauge, "How much of its limit the fullest archive takes.",
            metrics.archiveBytes.map { [Sample(value: Double($0))] } ?? [])
        text.add(
            "pruned_archive_limit_bytes", .gauge, "How large the archive of a store may get.",
            [Sample(value: Double(context.archiveLimit.bytes))])
    }

    private static func samples(
        of histogram: DurationHistogram, _ labels: [(String, String)]
    ) -> [Sample] {
        var below: Int64 = 0
        let bounds = DurationHistogram.bounds.map { "\($0)" } + ["+Inf"]
        let buckets = zip(bounds, histogram.counts).map { bound, count in
            below += count
            return Sample(suffix: "_bucket", labels: labels + [("le", bound)], value: Double(below))
        }
        return buckets + [
            Sample(suffix: "_sum", labels: labels, value: histogram.sum),
            Sample(suffix: "_count", labels: labels, value: Double(below)),
        ]
    }

    private static func label(_ rule: Name) -> [(name: String, value: String)] {
        [("rule", rule.description)]
    }
}
