import TestSupport
import Foundation
import Testing

/// The alerts that `systemd/pruned.rules.yml` raises over a metrics file, by Prometheus itself: `promtool test rules`.
struct Prometheus {
    /// An alert that fires; `rule` is empty where it is of no rule.
    struct Alert: Hashable {
        let name: String
        var rule = ""
    }

    static let rulesFile = URL(filePath: #filePath).appending(path: "../../../../systemd/pruned.rules.yml")
        .standardized.path

    private let sandbox: Sandbox
    /// The series as the file has them, and their values.
    private let series: [(name: String, value: Double)]
    /// When the file was read.
    private let read = Date()

    init(_ path: String, in sandbox: Sandbox) throws {
        self.sandbox = sandbox
        series = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
            .compactMap { line in
                let parts = line.split(separator: " ")
                return parts.last.flatMap { Double($0) }.map {
                    (parts.dropLast().joined(separator: " "), $0)
                }
            }
    }

    /// What promtool says where other alerts than `alerts` fire so long after the file was read, which nobody writes
    /// meanwhile; empty where it is these.
    func complaints(ofAlerts alerts: Set<Alert>, after hours: Int) throws -> String {
        let lines =
            [
                "rule_files: [\"\(Self.rulesFile)\"]", "evaluation_interval: 5m", "tests:", "- interval: 5m",
                "  input_series:",
            ]
            + series.flatMap { series in
                [
                    "  - series: '\(series.name)'",
                    "    values: '_x\(Self.start / 300) \(shifted(series))+0x\(hours * 12 + 1)'",
                ]
            } + [
                "  promql_expr_test:",
                "  - expr: count by (alertname, rule) (ALERTS{alertstate=\"firing\"})",
                "    eval_time: \(Self.start + hours * 3_600)s",
                "    exp_samples: [\(alerts.map(\.sample).joined(separator: ", "))]",
            ]
        try sandbox.write("alerts.test.yml", lines.map { $0 + "\n" }.joined())
        let ended = try Program(
            path: "promtool", arguments: ["test", "rules", sandbox.path + "/alerts.test.yml"]
        ).run()
        return ended.status == 0 ? "" : "\(ended)"
    }

    /// Its clock begins in 1970, so the file is read two days later, in seconds; 0 is no time, but never.
    private static let start = 172_800

    private func shifted(_ series: (name: String, value: Double)) -> Double {
        guard series.name.contains("_timestamp_seconds"), series.value > 0 else { return series.value }
        return series.value - read.timeIntervalSince1970 + Double(Self.start)
    }
}

extension Prometheus.Alert {
    fileprivate var sample: String {
        let rule = rule.isEmpty ? "" : ", rule=\"\(rule)\""
        return "{labels: '{alertname=\"\(name)\"\(rule)}', value: 1}"
    }
}
