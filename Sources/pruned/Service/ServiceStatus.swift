import Foundation
import Retention

/// What `systemctl status` shows while no run is in progress.
struct ServiceStatus: CustomStringConvertible {
    let next: (rule: Name, due: Date)?
    let timeZone: TimeZone
    let refusal: String?
    let troubles: [String]

    var description: String {
        var parts = [next.map { "Idle; next: \($0.rule) at \($0.due.local(in: timeZone))" } ?? "Idle"]
        if let refusal { parts.append("configuration refused: \(refusal)") }
        parts += troubles
        return parts.joined(separator: "; ")
    }
}
