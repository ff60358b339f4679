import Foundation
import Pruning
import Retention
import TestSupport
import Testing

/// The dashboard for Grafana beside the alerts.
struct DashboardTests {
    private static func file(_ name: String) throws -> String {
        try String(
            contentsOf: URL(filePath: #filePath).appending(path: "../../../../systemd/" + name).standardized,
            encoding: .utf8)
    }

    /// The names of all metrics, as the source has them: text of one run has only those that have a value.
    private static let names: Set<String> = {
        let sources = URL(filePath: #filePath).appending(path: "../../../../Sources/Pruning/Metrics")
            .standardized
        let files =
            (try? FileManager.default.contentsOfDirectory(at: sources, includingPropertiesForKeys: nil)) ?? []
        let text = files.compactMap { try? String(contentsOf: $0, encoding: .utf8) }.joined()
        return text.matches(of: /"(pruned_\w+)"/).reduce(into: []) { names, match in
            names.formUnion(["", "_bucket", "_sum", "_count"].map { match.1 + $0 })
        }
    }()

    private static func unknown(in text: String) -> Set<String> {
        Set(text.matches(of: /pruned_\w+/).map { String($0.0) }).subtracting(names)
    }

    @Test("each panel asks for metrics that are written, and every panel asks for some")
    func panels() throws {
        struct Dashboard: Decodable {
            struct Panel: Decodable {
                struct Target: Decodable { let expr: String }
                let title: String
                let targets: [Target]
            }
            let panels: [Panel]
        }
        let dashboard = try JSONDecoder().decode(
            Dashboard.self, from: Data(Self.file("pruned.grafana.json").utf8))
        #expect(!dashboard.panels.isEmpty)
        for panel in dashboard.panels {
            #expect(!panel.targets.isEmpty, "\(panel.title)")
            for target in panel.targets {
                #expect(target.expr.contains("pruned_"), "\(panel.title)")
                #expect(Self.unknown(in: target.expr).isEmpty, "\(panel.title): \(target.expr)")
            }
        }
    }

    @Test("each alert asks for metrics that are written")
    func alerts() throws {
        for line in try Self.file("pruned.rules.yml").split(separator: "\n") where !line.contains("#") {
            // Not the units and files that a description names.
            #expect(Self.unknown(in: String(line)).isEmpty, "\(line)")
        }
    }
}
