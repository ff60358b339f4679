import FoundationEssentials
import Retention

/// What `systemctl status` shows, until a run in progress has more to say.
struct ServiceStatus: CustomStringConvertible {
    /// The stores with a run in progress.
    let running: [Name]
    let next: (rule: Name, due: Date)?
    let timeZone: Zone
    let clockDoubt: String?
    let refusal: String?
    let troubles: [String]

    var description: String {
        var parts = [
            running.isEmpty ? idle : "Running on store \(running.map(\.description).joined(separator: ", "))"
        ]
        if let clockDoubt { parts.append("nothing is pruned: \(clockDoubt)") }
        if let refusal { parts.append("configuration refused: \(refusal)") }
        parts += troubles
        return parts.joined(separator: "; ")
    }

    private var idle: String {
        next.map { "Idle; next: \($0.rule) at \($0.due.local(in: timeZone))" } ?? "Idle"
    }
}
