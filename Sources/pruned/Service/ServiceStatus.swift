import Foundation
import Retention

/// What `systemctl status` shows, until a run in progress has more to say.
struct ServiceStatus: CustomStringConvertible {
    /// The stores with a run in progress.
    let running: [Name]
    let next: (rule: Name, due: Date)?
    let timeZone: TimeZone
    let refusal: String?
    let troubles: [String]

    var description: String {
        var parts = [
            running.isEmpty ? idle : "Running on store \(running.map(\.description).joined(separator: ", "))"
        ]
        if let refusal { parts.append("configuration refused: \(refusal)") }
        parts += troubles
        return parts.joined(separator: "; ")
    }

    private var idle: String {
        next.map { "Idle; next: \($0.rule) at \(local($0.due))" } ?? "Idle"
    }

    private func local(_ date: Date) -> String {
        var style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: timeZone)
        style = style.year().month().day().time(includingFractionalSeconds: false)
        return date.formatted(style)
    }
}
