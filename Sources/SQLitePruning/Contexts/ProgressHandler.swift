import GRDB
import GRDBSQLite
import Pruning

/// Lets a long statement say that it is alive, and a stop request interrupt it.
enum ProgressHandler {
    /// Virtual machine instructions between two calls: about a millisecond.
    private static let interval: CInt = 50_000

    /// Calls `control` while a statement runs. `interrupts`: whether a stop request ends the statement; never for a
    /// context that writes, whose batch in hand is to end. The connection's setup keeps `control` alive as long as
    /// the connection.
    static func install(on db: Database, control: RunControl, interrupts: Bool) {
        let context = Unmanaged.passUnretained(control).toOpaque()
        let interrupting: @convention(c) (UnsafeMutableRawPointer?) -> CInt = { context in
            guard let context else { return 0 }
            let control = Unmanaged<RunControl>.fromOpaque(context).takeUnretainedValue()
            control.beat()
            return control.stopReason == nil ? 0 : 1
        }
        let beating: @convention(c) (UnsafeMutableRawPointer?) -> CInt = { context in
            guard let context else { return 0 }
            Unmanaged<RunControl>.fromOpaque(context).takeUnretainedValue().beat()
            return 0
        }
        sqlite3_progress_handler(db.sqliteConnection, interval, interrupts ? interrupting : beating, context)
    }
}
