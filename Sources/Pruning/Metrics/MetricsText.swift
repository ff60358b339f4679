import Foundation
import Retention

/// The metrics file's text.
public struct MetricsText: CustomStringConvertible {
    /// What the sums over all runs do not tell.
    public struct Context: Sendable {
        /// The rules and stores that are told of, as the configuration has them; a store's path is absolute.
        public var rules: [Name], stores: [StoreDefinition]
        /// When rules last ran to their end.
        public var lastRuns: [Name: Date]
        /// The program's version.
        public var version: String

        /// See the properties.
        public init(
            rules: [Name], stores: [StoreDefinition], lastRuns: [Name: Date], version: String
        ) {
            self.rules = rules
            self.stores = stores
            self.lastRuns = lastRuns
            self.version = version
        }
    }

    private typealias Sample = PrometheusText.Sample

    /// The text.
    public let description: String

    /// Tells `metrics` of what `context` names.
    public init(_ metrics: Metrics, _ context: Context) {
        var text = PrometheusText()
        Self.addRuns(of: metrics, context, to: &text)
        Self.addState(of: metrics, context, to: &text)
        Self.addStores(of: metrics, context, to: &text)
        text.add(
            "pruned_build_info", .gauge, "The version of pruned that wrote this; the value is always 1.",
            [Sample(labels: [("version", context.version)], value: 1)])
        description = text.description
    }

    private static func addRuns(of metrics: Metrics, _ context: Context, to text: inout PrometheusText) {
        let rules = context.rules.map { (name: $0, sum: metrics.rules[$0.description] ?? Metrics.Rule()) }
        text.add(
            "pruned_rows_deleted_total", .counter, "Rows of the rule's own table that were deleted.",
            rules.map { Sample(labels: label($0.name), value: Double($0.sum.deleted)) })
        text.add(
            "pruned_dependents_deleted_total", .counter, "Rows of other tables that went with them.",
            rules.map { Sample(labels: label($0.name), value: Double($0.sum.dependentsDeleted)) })
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
        text.add(
            "pruned_backlog_seconds", .gauge,
            "How long ago the oldest row expired that the rule's last run left there; 0 when it left none.",
            context.rules.compactMap { name in
                metrics.rules[name.description]?.backlogSeconds.map { Sample(labels: label(name), value: $0) }
            })
        text.add(
            "pruned_rule_held", .gauge, "Whether the rule's last run was held for a person to look.",
            context.rules.map { name in
                let isHeld = metrics.rules[name.description]?.isHeld ?? false
                return Sample(labels: label(name), value: isHeld ? 1 : 0)
            })
        text.add(
            "pruned_last_success_timestamp_seconds", .gauge,
            "When the rule's last run that came to its end began.",
            context.rules.compactMap { name in
                context.lastRuns[name].map {
                    Sample(labels: label(name), value: $0.timeIntervalSince1970)
                }
            })
        text.add(
            "pruned_clock_trusted", .gauge, "Whether the system's clock was believed in the last run.",
            metrics.isClockTrusted.map { [Sample(value: $0 ? 1 : 0)] } ?? [])
        text.add(
            "pruned_config_ok", .gauge,
            "Whether the configuration as it was last read is in force; 0 when it was refused and an older one is.",
            metrics.isConfigurationInForce.map { [Sample(value: $0 ? 1 : 0)] } ?? [])
    }

    private static func addStores(of metrics: Metrics, _ context: Context, to text: inout PrometheusText) {
        let stores = context.stores.map { store in
            (label: [("store", store.name.description)], seen: metrics.stores[store.name.description])
        }
        text.add(
            "pruned_batch_hold_seconds", .histogram, "How long a batch kept the store's write lock.",
            stores.flatMap { samples(of: $0.seen?.holds ?? DurationHistogram(), $0.label) })
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
                Sample(labels: [("store", $0.name.description), ("path", $0.path)], value: 1)
            })
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
