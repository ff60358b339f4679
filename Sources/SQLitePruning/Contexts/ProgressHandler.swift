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

    /// Runs `body`, whose statements end once they have computed for longer than `limit`: the time that they wait for the
    /// disk, or for a processor, says nothing of them. How long they have; nil where that was too long.
    func time(of db: Database, within limit: Duration, _ body: () throws -> Void) throws -> Duration? {
        let limit = TimeLimit(limit, control)
        sqlite3_progress_handler(
            db.handle, Self.shortInterval,
            { context in
                guard let context else { return 0 }
                return Unmanaged<TimeLimit>.fromOpaque(context).takeUnretainedValue().endsStatement ? 1 : 0
            }, Unmanaged.passUnretained(limit).toOpaque())
        defer { install(on: db) }
        return try withExtendedLifetime(limit) {
            do { try body() } catch {
                guard limit.isOver else { throw error }
                return nil
            }
            return limit.isOver ? nil : limit.taken
        }
    }

    /// Some hundredths of a millisecond.
    private static let shortInterval: CInt = 1_000

    private final class TimeLimit {
        private let limit: Duration
        private let control: RunControl
        private let time = ThreadTime.ofThisThread()

        init(_ limit: Duration, _ control: RunControl) { (self.limit, self.control) = (limit, control) }

        var taken: Duration { time() }
        var isOver: Bool { taken > limit }
        var endsStatement: Bool {
            control.beat()
            return isOver || control.stopReason != nil
        }
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
