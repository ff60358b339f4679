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
        sqlite3_progress_handler(
            db.handle, Self.interval,
            { context in
                guard let context else { return 0 }
                let control = Unmanaged<RunControl>.fromOpaque(context).takeUnretainedValue()
                control.beat()
                return control.stopReason == nil ? 0 : 1
            }, Unmanaged.passUnretained(control).toOpaque())
    }

    /// Runs `body`, a write transaction, whose statements only `watch` ends: a batch in hand is finished.
    func watched<Result>(by watch: LockWatch, _ db: Database, _ body: () throws -> Result) rethrows -> Result
    {
        sqlite3_progress_handler(
            db.handle, Self.interval,
            { context in
                guard let context else { return 0 }
                return Unmanaged<LockWatch>.fromOpaque(context).takeUnretainedValue().endsStatement ? 1 : 0
            }, Unmanaged.passUnretained(watch).toOpaque())
        defer { install(on: db) }
        return try withExtendedLifetime(watch) { try body() }
    }
}
