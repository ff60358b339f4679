import CSQLite
import SQLite

@testable import SQLitePruning

/// How many steps of SQLite's virtual machine the statements of a connection take: what they read, whatever the machine.
final class StatementSteps {
    /// Those of the dearest statement.
    private(set) var most: CInt = 0

    /// Must live as long as the connection is used.
    func follow(_ db: Database) {
        sqlite3_trace_v2(
            db.handle, UInt32(SQLITE_TRACE_PROFILE),
            { _, trace, statement, _ in
                guard let trace else { return 0 }
                let steps = Unmanaged<StatementSteps>.fromOpaque(trace).takeUnretainedValue()
                let taken = sqlite3_stmt_status(
                    statement.map(OpaquePointer.init), SQLITE_STMTSTATUS_VM_STEP, 1)
                steps.most = max(steps.most, taken)
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}
