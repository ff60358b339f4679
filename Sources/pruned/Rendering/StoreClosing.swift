import FoundationEssentials
import Pruning
import Retention
import TerminalText

/// What a run came to for one store, in a line that a person can show to another.
struct StoreClosing: CustomStringConvertible {
    /// The name of the file, or of the store if it is no file.
    let name: String
    /// The size after the run.
    let space: FreeSpace
    let changed: ChangedRows
    /// The size before the run; nil if it is not known.
    let bytesBefore: Int64?
    /// Until when all of the rows can be put back; nil if some were not archived.
    let restorableUntil: Date?
    let timeZone: Zone

    /// Such as "app.db: 41.2 MB as before, 12.0 MB of it free; 2,834 rows deleted, restorable until 2026-12-25".
    var description: String {
        let before = bytesBefore.map { $0 == space.bytes ? " as before" : " (\($0.bytes) before)" } ?? ""
        let free = space.freeBytes > 0 ? ", \(space.freeBytes.bytes) of it free" : ""
        let end = restorableUntil.map { ", restorable until \($0.local(in: timeZone).prefix(10))" } ?? ""
        return "\(name): \(space.bytes.bytes)\(before)\(free); \(changed.participle)\(end)"
    }
}
