import CSQLite
import SQLite

/// What a DELETE on a table would change: the table itself, and whatever cascades and triggers reach.
///
/// SQLite reports this through the authorizer while it compiles the statement. It makes one call for every table that
/// any part of the program writes, including triggers and foreign key actions. Setting an authorizer makes SQLite
/// recompile all other statements of the connection when they next run.
struct DeleteReach {
    struct Write: Hashable {
        enum Operation: String {
            case delete, insert, update
        }
        let operation: Operation
        let table: String
        /// The trigger that writes; nil for the statement itself and for foreign key actions.
        let trigger: String?
        /// Names are compared as SQLite compares them: `String` takes some for equal that are others there.
        private let identity: [[UInt8]]

        init(_ operation: Operation, _ table: String, by trigger: String? = nil) {
            (self.operation, self.table, self.trigger) = (operation, table, trigger)
            identity = [table.comparedName] + [trigger?.comparedName].compactMap(\.self)
        }

        static func == (a: Self, b: Self) -> Bool {
            a.operation == b.operation && a.identity == b.identity
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(operation)
            hasher.combine(identity)
        }
    }

    private(set) var writes: Set<Write> = []
    /// The tables that it would read, in the form of `comparedName`.
    private(set) var reads: Set<[UInt8]> = []
    /// Those of them that triggers and views read.
    private(set) var codeReads: Set<[UInt8]> = []
    /// The triggers and views whose code is part of the statement, whatever they do.
    private(set) var code: Set<String> = []

    /// Compiles the statements without running them.
    init(of statements: [String], in db: Database) throws(DatabaseError) {
        self.init()
        for sql in statements {
            let reach = try DeleteReach(of: sql, in: db)
            writes.formUnion(reach.writes)
            reads.formUnion(reach.reads)
            codeReads.formUnion(reach.codeReads)
            code.formUnion(reach.code)
        }
    }

    private init() {}

    /// Compiles `sql` without running it.
    init(of sql: String, in db: Database) throws(DatabaseError) {
        // SQLite learns of a change of the schema when a statement runs, and this one only compiles.
        _ = try db.row("SELECT 1 FROM sqlite_schema LIMIT 1")
        var recorder = try Self.compile(sql, in: db)
        // SQLite reports a change of the schema where a virtual table is used for the first time on a connection.
        if recorder.writes.contains(where: { $0.table == "sqlite_master" && $0.trigger == nil }) {
            recorder = try Self.compile(sql, in: db)
        }
        (writes, reads, codeReads, code) = (
            recorder.writes, recorder.reads, recorder.codeReads, recorder.code
        )
    }

    private static func compile(_ sql: String, in db: Database) throws(DatabaseError) -> Recorder {
        let recorder = Recorder()
        sqlite3_set_authorizer(
            db.handle,
            { context, action, table, _, _, trigger in
                guard let context else { return SQLITE_OK }
                Unmanaged<Recorder>.fromOpaque(context).takeUnretainedValue()
                    .record(action, table.map { String(cString: $0) }, trigger.map { String(cString: $0) })
                return SQLITE_OK
            }, Unmanaged.passUnretained(recorder).toOpaque())
        defer { sqlite3_set_authorizer(db.handle, nil, nil) }
        _ = try Statement(sql, on: db.handle)
        return withExtendedLifetime(recorder) { recorder }
    }

    /// The triggers in ``code`` that may end the change of a row without an error, and leave the row.
    func ignoringTriggers(in db: Database) throws -> [String] {
        try code.sorted().filter { name in
            let sql = try db.row(
                "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND lower(name) = lower(:name)",
                ["name": .text(name)])
            let tokens = SQLToken.all(of: sql?[0].string ?? "")
            return tokens.indices.dropLast(2).contains {
                tokens[$0].isWord("raise") && tokens[$0 + 1].isSymbol("(") && tokens[$0 + 2].isWord("ignore")
            }
        }
    }

    private final class Recorder {
        var writes: Set<Write> = []
        var reads: Set<[UInt8]> = []
        var codeReads: Set<[UInt8]> = []
        var code: Set<String> = []

        func record(_ action: CInt, _ table: String?, _ trigger: String?) {
            if let trigger { code.insert(trigger) }
            guard let table else { return }
            if action == SQLITE_READ {
                reads.insert(table.comparedName)
                if trigger != nil { codeReads.insert(table.comparedName) }
            }
            let operation: Write.Operation? =
                switch action {
                case SQLITE_DELETE: .delete
                case SQLITE_INSERT: .insert
                case SQLITE_UPDATE: .update
                default: nil
                }
            if let operation { writes.insert(Write(operation, table, by: trigger)) }
        }
    }
}
