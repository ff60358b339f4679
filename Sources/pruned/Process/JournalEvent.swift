import Ledger
import Logging
import Pruning
import Systemd

/// The messages that the journal's catalog explains (`systemd/pruned.catalog`), by MESSAGE_ID.
enum JournalEvent: String, CaseIterable {
    case ready = "c578d72fa2ad4a0b84b068431287e354"
    case stopping = "dd2ffa32aba64038a2be9807570c3147"
    case runFinished = "01f01e1c256f4c09a43dc9157e90b335"
    case runFailed = "9bdd2dc3c1b44161a467bb5b6db6bad7"
    case runSkipped = "22d3420f2a9d49d3b956db343b03ccc7"
    case ruleHeld = "3b7c1f0e5a9d4d8c9e6a2f417b80c5d3"
    case confirmed = "b7c305d6023a4275a38ec02c2b1b3924"
    case clockDoubted = "8d0e6b52f1c34a7f9b26d1f0a4c7e935"
    case reclaimed = "5924d61bae744c6189b7a08ec6610ede"
    case reloaded = "7fe18f8a98014e668e128f4ef5964f99"
    case refused = "29f1670e0fd4403aaf9cc9dce9e87a66"
    case unusable = "77bffb7fc22a4d3ea8f140f86a87afdb"
    case implausible = "c76fcea5174149009145ca91caabcbf6"

    var metadata: Logger.Metadata { ["MESSAGE_ID": "\(rawValue)"] }
}

extension Logger {
    /// Logs a message that the catalog explains, with a hint.
    func log(
        level: Logger.Level, _ event: JournalEvent, _ message: String, hint: String? = nil,
        _ fields: Logger.Metadata = [:]
    ) {
        var metadata = fields.merging(event.metadata) { $1 }
        metadata["hint"] = hint.map { "\($0)" }
        log(level: level, "\(message)", metadata: metadata)
    }

    /// Logs a notice about the ledger.
    func say(_ said: LedgerNotice) {
        switch said {
        case .damage(let damage): warning(damage)
        case .oldFiles(let names):
            notice(
                "old state files are ignored: \(names.joined(separator: ", ")); each rule counts as new",
                metadata: ["hint": "remove them"])
        }
    }

    /// Logs which part of the state counts as empty, and what to do about it.
    func warning(_ damage: StateDamage) {
        log(level: .warning, "\(damage.reason)", metadata: ["hint": "\(damage.hint)"])
    }

    /// Logs an error and its hint.
    func error(_ error: StoreError) {
        log(level: .error, "\(error.reason)", metadata: error.hint.map { ["hint": "\($0)"] })
    }
}

extension Logger {
    init(_ destination: LogDestination, verbose: Bool = false) {
        self.init(label: "pruned") { _ in destination.makeLogHandler(identifier: "pruned") }
        logLevel = verbose ? .debug : .info
    }
}
