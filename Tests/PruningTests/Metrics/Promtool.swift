import Foundation
import TestSupport
import Testing

/// What Prometheus itself says of metrics: `promtool check metrics` of Debian's package `prometheus`.
enum Promtool {
    static let isInstalled = access("/usr/bin/promtool", X_OK) == 0

    static let comment: Comment = "promtool is not installed; `make test-packages` does it"

    /// What it finds; empty when nothing.
    static func complaints(of text: String) throws -> String {
        let ended = try Program(["/usr/bin/promtool", "check", "metrics"]).run(text)
        let said = ended.output + ended.errors
        return ended.status == 0 ? said : "\(ended.status): \(said)"
    }
}
