import Foundation
import Retention

/// What `systemctl status` shows while no run is in progress.
struct ServiceStatus: CustomStringConvertible {
    let next: (rule: Name, due: Date)?
    let timeZone: TimeZone
    let refusal: String?
    let troubles: [String]

    var description: String {
        var parts = [next.map { "Idle; next: \($0.rule) at \(local($0.due))" } ?? "Idle"]
        if let refusal { parts.append("configuration refused: \(refusal)") }
        parts += troubles
        return parts.joined(separator: "; ")
    }

    private func local(_ date: Date) -> String {
        var style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: timeZone)
        style = style.year().month().day().time(includingFractionalSeconds: false)
        return date.formatted(style)
    }
}
