import GRDBSQLite
import Pruning

/// Lets a long statement say that it is alive, and a stop request interrupt it.
struct ProgressHandler {
    /// Told of progress, and asked whether to go on. Must live as long as statements run.
    let control: RunControl

    /// Virtual machine instructions between two calls: about a millisecond.
    private static let interval: CInt = 50_000

    /// Calls ``control`` while a statement runs, which a stop request ends.
    func install(on db: Database) {
        install(on: db) { context in
            guard let context else { return 0 }
            let control = Unmanaged<RunControl>.fromOpaque(context).takeUnretainedValue()
            control.beat()
            return control.stopReason == nil ? 0 : 1
        }
    }

    /// Runs `body`, whose statements a stop request does not end: a batch in hand is finished.
    func withoutInterruption<Result>(_ db: Database, _ body: () throws -> Result) rethrows -> Result {
        install(on: db) { context in
            guard let context else { return 0 }
            Unmanaged<RunControl>.fromOpaque(context).takeUnretainedValue().beat()
            return 0
        }
        defer { install(on: db) }
        return try body()
    }

    private func install(
        on db: Database, _ handler: @convention(c) (UnsafeMutableRawPointer?) -> CInt
    ) {
        sqlite3_progress_handler(
            db.handle, Self.interval, handler, Unmanaged.passUnretained(control).toOpaque())
    }
}
