import CSQLite
import Pruning
import SQLite

/// Lets the statements of a connection say that they are alive, and ends them. Must live as long as they run.
final class ProgressHandler {
    private let control: RunControl
    /// That of the thread at work.
    private var activity: ThreadActivity?
    /// Whether the statement at work is to end.
    private var isToEnd: () -> Bool

    /// To be had of each piece of a file that is read or written.
    static let noteTransfer: @Sendable () -> Void = { ThreadActivity.known?.transfer() }

    /// Virtual machine instructions between two questions: a tenth of a millisecond, but that some of them may read a
    /// row of megabytes.
    private static let interval: CInt = 5_000

    /// A stop request ends statements, if nothing else is said.
    init(_ control: RunControl) {
        self.control = control
        isToEnd = { control.stopReason != nil }
        FileLayer.onTransfer(Self.noteTransfer)
    }

    /// Has `db` ask about each statement.
    func install(on db: Database) { install(on: db, every: Self.interval) }

    private func install(on db: Database, every instructions: CInt) {
        sqlite3_progress_handler(
            db.handle, instructions,
            { context in
                guard let context else { return 0 }
                let handler = Unmanaged<ProgressHandler>.fromOpaque(context).takeUnretainedValue()
                handler.activity?.step()
                handler.control.beat()
                return handler.isToEnd() ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Statements are at work until ``end()``.
    func begin(_ work: StoreWork) {
        activity = .ofThisThread()
        control.statementsBegin(by: self, for: work)
    }

    func end() { control.ends(self) }

    /// Runs `body`, whose statements end once they have computed for longer than `limit`: the time that they wait for the
    /// disk, or for a processor, says nothing of them. How long they have; nil where that was too long.
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

    /// Runs `body`, a write transaction, whose statements only `watch` ends: a batch in hand is finished.
    /// A row of thousands of columns, which takes long with few instructions, is let pass: it would take as long the next time.
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
