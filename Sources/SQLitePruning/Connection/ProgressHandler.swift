import CSQLite
import Pruning
import SQLite

/// Records that the statements of a connection are running, and can end them. It must live as long as they run.
final class ProgressHandler {
    private let control: RunControl
    /// Whether the running statement must end.
    private var isToEnd: () -> Bool

    /// Virtual machine instructions between two calls of the handler. They take about 0.1 ms, or longer if some of them
    /// read a row of megabytes.
    private static let interval: CInt = 5_000

    /// By default, a stop request ends the statements.
    init(_ control: RunControl) {
        self.control = control
        isToEnd = { control.stopReason != nil }
    }

    /// Makes `db` call the handler while a statement runs.
    func install(on db: Database) { install(on: db, every: Self.interval) }

    private func install(on db: Database, every instructions: CInt) {
        sqlite3_progress_handler(
            db.handle, instructions,
            { context in
                guard let context else { return 0 }
                let handler = Unmanaged<ProgressHandler>.fromOpaque(context).takeUnretainedValue()
                handler.control.beat()
                return handler.isToEnd() ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Call this before the statements of `work`, and ``end()`` after them.
    func begin(_ work: StoreWork) { control.begins(work, by: self) }

    func end() { control.ends(self) }

    /// Runs `body`. Its statements end if they use more CPU time than `limit`; time spent waiting for the disk or for a
    /// processor does not count. Returns the CPU time, or nil if it exceeded the limit.
    func time(within limit: Duration, _ body: () throws -> Void) throws -> Duration? {
        let taken = ThreadTime.ofThisThread()
        let control = control
        return try asking({ taken() > limit || control.stopReason != nil }) {
            do { try body() } catch {
                guard taken() > limit else { throw error }
                return nil
            }
            let whole = taken()
            return whole > limit ? nil : whole
        }
    }

    /// Runs `body`, a write transaction. Only `watch` can end its statements, because a batch that has begun is
    /// finished. A row with thousands of columns takes long with few instructions. It may finish, because the next try
    /// would take as long.
    func watched<Result>(by watch: LockWatch, _ db: Database, _ body: () throws -> Result) rethrows -> Result
    {
        install(on: db, every: Self.intervalOfWrites)
        defer { install(on: db) }
        return try asking({ watch.endsStatement }, body)
    }

    private static let intervalOfWrites: CInt = 50_000

    private func asking<Result>(
        _ question: @escaping () -> Bool, _ body: () throws -> Result
    ) rethrows -> Result {
        let usual = isToEnd
        isToEnd = question
        defer { isToEnd = usual }
        return try body()
    }
}
