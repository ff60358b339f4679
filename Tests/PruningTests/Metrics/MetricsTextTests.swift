import Foundation
import Pruning
import Retention
import TestSupport
import Testing

/// The metrics file's text.
struct MetricsTextTests {
    private static let context = MetricsText.Context(
        rules: [Reports.task("a.b-c_1").rule, Reports.task("r").rule],
        stores: [StoreDefinition(name: "s", path: "/srv/a \"b\"\\\nä/s.sqlite")],
        archiveLimit: ByteCount(1_000_000), lastRuns: ["r": Date(timeIntervalSince1970: 1_795_000_000.5)],
        version: "1.2.3", now: Date(timeIntervalSince1970: 1_795_000_009.9))

    private static let run: Metrics = {
        var metrics = Metrics()
        let report = Reports.run(
            Reports.rule("r", .done, deleted: 1_200), Reports.rule("a.b-c_1", .held, .hold))
        let batches = BatchLockTimes()
        for milliseconds in [0.5, 1, 1.1, 60, 5_000] {
            let batch = BatchResult(
                deleted: 1, visited: 1, lockTime: .seconds(milliseconds / 1_000),
                isAlone: true,
                isLast: false)
            batches.record(.batchCommitted(report.rules[0], batch))
        }
        let lookOnly = BatchResult(
            deleted: 0, visited: 0, lockTime: .seconds(9), isAlone: true, isLast: true)
        batches.record(.batchCommitted(report.rules[0], lookOnly))
        metrics.add(
            report, Measurements(lockTimes: batches.byStore, archiveBytes: ["app": 950_000, "other": 7]))
        return metrics
    }()

    @Test("the text after a run, whole")
    func golden() {
        #expect(
            "\(MetricsText(Self.run, Self.context))" == """
                # HELP pruned_rows_deleted_total Rows of the rule's own table that were deleted.
                # TYPE pruned_rows_deleted_total counter
                pruned_rows_deleted_total{rule="a.b-c_1"} 0
                pruned_rows_deleted_total{rule="r"} 1200
                # HELP pruned_dependents_deleted_total Rows of other tables that went with them.
                # TYPE pruned_dependents_deleted_total counter
                pruned_dependents_deleted_total{rule="a.b-c_1"} 0
                pruned_dependents_deleted_total{rule="r"} 0
                # HELP pruned_rule_runs_total Runs of the rule, by how they ended.
                # TYPE pruned_rule_runs_total counter
                pruned_rule_runs_total{rule="a.b-c_1",outcome="done"} 0
                pruned_rule_runs_total{rule="a.b-c_1",outcome="held"} 1
                pruned_rule_runs_total{rule="a.b-c_1",outcome="stopped"} 0
                pruned_rule_runs_total{rule="a.b-c_1",outcome="skipped"} 0
                pruned_rule_runs_total{rule="a.b-c_1",outcome="failed"} 0
                pruned_rule_runs_total{rule="r",outcome="done"} 1
                pruned_rule_runs_total{rule="r",outcome="held"} 0
                pruned_rule_runs_total{rule="r",outcome="stopped"} 0
                pruned_rule_runs_total{rule="r",outcome="skipped"} 0
                pruned_rule_runs_total{rule="r",outcome="failed"} 0
                # HELP pruned_rule_duration_seconds How long the rule's runs took.
                # TYPE pruned_rule_duration_seconds summary
                pruned_rule_duration_seconds_sum{rule="a.b-c_1"} 0
                pruned_rule_duration_seconds_count{rule="a.b-c_1"} 1
                pruned_rule_duration_seconds_sum{rule="r"} 0
                pruned_rule_duration_seconds_count{rule="r"} 1
                # HELP pruned_backlog_seconds How long ago the oldest row expired that the rule's last run left there; \
                0 when it left none.
                # TYPE pruned_backlog_seconds gauge
                pruned_backlog_seconds{rule="r"} 0
                # HELP pruned_backlog_grows Whether each of the rule's last three runs left more rows than the one \
                before.
                # TYPE pruned_backlog_grows gauge
                pruned_backlog_grows{rule="a.b-c_1"} 0
                pruned_backlog_grows{rule="r"} 0
                # HELP pruned_rule_held Whether the rule's last run was held for a person to look.
                # TYPE pruned_rule_held gauge
                pruned_rule_held{rule="a.b-c_1"} 1
                pruned_rule_held{rule="r"} 0
                # HELP pruned_rule_last_outcome How the rule's last run ended: 1 for that, 0 for all else, and for all \
                before the first.
                # TYPE pruned_rule_last_outcome gauge
                pruned_rule_last_outcome{rule="a.b-c_1",outcome="done"} 0
                pruned_rule_last_outcome{rule="a.b-c_1",outcome="held"} 1
                pruned_rule_last_outcome{rule="a.b-c_1",outcome="stopped"} 0
                pruned_rule_last_outcome{rule="a.b-c_1",outcome="skipped"} 0
                pruned_rule_last_outcome{rule="a.b-c_1",outcome="failed"} 0
                pruned_rule_last_outcome{rule="r",outcome="done"} 1
                pruned_rule_last_outcome{rule="r",outcome="held"} 0
                pruned_rule_last_outcome{rule="r",outcome="stopped"} 0
                pruned_rule_last_outcome{rule="r",outcome="skipped"} 0
                pruned_rule_last_outcome{rule="r",outcome="failed"} 0
                # HELP pruned_last_success_timestamp_seconds When the rule's last run that came to its end began; 0 when \
                none has.
                # TYPE pruned_last_success_timestamp_seconds gauge
                pruned_last_success_timestamp_seconds{rule="a.b-c_1"} 0
                pruned_last_success_timestamp_seconds{rule="r"} 1795000000.5
                # HELP pruned_rule_interval_seconds How long after a run the rule is due again.
                # TYPE pruned_rule_interval_seconds gauge
                pruned_rule_interval_seconds{rule="a.b-c_1"} 86400
                pruned_rule_interval_seconds{rule="r"} 86400
                # HELP pruned_clock_trusted Whether the system's clock was believed in the last run.
                # TYPE pruned_clock_trusted gauge
                pruned_clock_trusted 1
                # HELP pruned_config_ok Whether the configuration as it was last read is in force; 0 when it was refused.
                # TYPE pruned_config_ok gauge
                pruned_config_ok 1
                # HELP pruned_batch_lock_seconds How long a batch kept the store's write lock.
                # TYPE pruned_batch_lock_seconds histogram
                pruned_batch_lock_seconds_bucket{store="s",le="0.001"} 2
                pruned_batch_lock_seconds_bucket{store="s",le="0.0025"} 3
                pruned_batch_lock_seconds_bucket{store="s",le="0.005"} 3
                pruned_batch_lock_seconds_bucket{store="s",le="0.01"} 3
                pruned_batch_lock_seconds_bucket{store="s",le="0.025"} 3
                pruned_batch_lock_seconds_bucket{store="s",le="0.05"} 3
                pruned_batch_lock_seconds_bucket{store="s",le="0.1"} 4
                pruned_batch_lock_seconds_bucket{store="s",le="+Inf"} 5
                pruned_batch_lock_seconds_sum{store="s"} 5.0626
                pruned_batch_lock_seconds_count{store="s"} 5
                # HELP pruned_store_info Where the store is; the value is always 1.
                # TYPE pruned_store_info gauge
                pruned_store_info{store="s",path="/srv/a \\"b\\"\\\\\\nä/s.sqlite"} 1
                # HELP pruned_archive_bytes How much of its limit the fullest archive takes.
                # TYPE pruned_archive_bytes gauge
                pruned_archive_bytes 950000
                # HELP pruned_archive_limit_bytes How large the archive of a store may get.
                # TYPE pruned_archive_limit_bytes gauge
                pruned_archive_limit_bytes 1000000
                # HELP pruned_written_timestamp_seconds When this was written.
                # TYPE pruned_written_timestamp_seconds gauge
                pruned_written_timestamp_seconds 1795000009
                # HELP pruned_build_info The version of pruned that wrote this; the value is always 1.
                # TYPE pruned_build_info gauge
                pruned_build_info{version="1.2.3"} 1

                """)
    }

    @Test("before the first run all that alerts ask for is there, and nothing that nobody knows")
    func beforeTheFirstRun() {
        let text = "\(MetricsText(Metrics(), Self.context))"
        #expect(text.contains("pruned_rows_deleted_total{rule=\"r\"} 0\n"))
        #expect(text.contains("pruned_batch_lock_seconds_count{store=\"s\"} 0\n"))
        for rule in ["r", "a.b-c_1"] {
            #expect(text.contains("pruned_rule_held{rule=\"\(rule)\"} 0\n"))
            for outcome in ["done", "failed"] {
                let labels = "{rule=\"\(rule)\",outcome=\"\(outcome)\"}"
                #expect(text.contains("pruned_rule_last_outcome\(labels) 0\n"))
                #expect(text.contains("pruned_rule_runs_total\(labels) 0\n"))
            }
        }
        #expect(text.contains("pruned_last_success_timestamp_seconds{rule=\"a.b-c_1\"} 0\n"))
        #expect(text.contains("pruned_clock_trusted 1\n") && text.contains("pruned_config_ok 1\n"))
        for unknown in ["pruned_archive_bytes", "pruned_backlog_seconds", "pruned_store_bytes"] {
            #expect(!text.contains(unknown))
        }
    }

    @Test(
        "a rule that the configuration has no more is told of no more, and goes on where it was if it returns"
    )
    func removedRule() {
        var context = Self.context
        context.rules = [Reports.task("a.b-c_1").rule]
        #expect(!"\(MetricsText(Self.run, context))".contains("\"r\""))
        #expect(
            "\(MetricsText(Self.run, Self.context))".contains("pruned_rows_deleted_total{rule=\"r\"} 1200\n"))
    }

    @Test("what could not be told of a store after a run stays what it was")
    func unknownSize() {
        var metrics = Self.run
        let report = Reports.run(Reports.rule("r"))
        metrics.add(report, Measurements(sizes: ["s": .init(bytes: 8_192, freeBytes: 4_096)]))
        metrics.add(report, Measurements(sizes: ["s": .init(bytes: 9_000, freeBytes: nil)]))
        let text = "\(MetricsText(metrics, Self.context))"
        #expect(text.contains("pruned_store_bytes{store=\"s\"} 9000\n"))
        #expect(text.contains("pruned_store_free_bytes{store=\"s\"} 4096\n"))
    }

    @Test("rows that came back are told of rules that look for them, from the first look on and before it")
    func cameBack() {
        var (context, metrics) = (Self.context, Self.run)
        context.rules[1].identity = ["guid"]
        context.rules[1].archiveKeep = Span(1, .day)
        #expect("\(MetricsText(metrics, context))".contains("pruned_rows_came_back_total{rule=\"r\"} 0\n"))
        var report = Reports.rule("r")
        for found in [3, nil, 4] as [Int64?] {
            report.cameBack = found
            metrics.add(Reports.run(report), Measurements())
        }
        let text = "\(MetricsText(metrics, context))"
        #expect(text.contains("pruned_rows_came_back_total{rule=\"r\"} 7\n"))
        #expect(!text.contains("pruned_rows_came_back_total{rule=\"a.b-c_1\"}"))
    }

    @Test(
        "promtool takes the text, before and after a run",
        .enabled(if: Promtool.isInstalled, Promtool.comment))
    func promtool() throws {
        for metrics in [Metrics(), Self.run] {
            #expect(try Promtool.complaints(of: "\(MetricsText(metrics, Self.context))") == "")
        }
    }
}
