import CSQLite
import SQLite

/// What SQLite says of an expression when it compiles it.
struct ExpressionCompilation {
    /// A column that the expression reads. The name is empty if it reads only the number of a table's rows.
    struct Column: Hashable {
        let table: [UInt8]
        let column: [UInt8]
    }

    var columns: Set<Column> { Set(reads) }
    /// A column for each time that SQLite finds one that the expression names, in SQLite's order.
    private(set) var reads: [Column] = []
    /// The functions that it calls, in lower case.
    private(set) var functions: Set<String> = []
    /// The tables that it reads, with the schema's spelling.
    private(set) var tables: Set<String> = []

    /// The expression cannot be compiled, or does what an expression must not do.
    struct Refused: Error {
        let reason: String
        /// The position in the expression, in bytes from 0; nil if unknown.
        var offset: Int?
    }

    /// Compiles `text` as the condition of a SELECT from `source`, which is SQL.
    ///
    /// Twice: once in parentheses, and once without. What breaks out of the parentheses is refused without them, and
    /// what continues the statement after the condition is refused in them.
    init(of text: String, from source: String, in db: Database) throws {
        guard !text.utf8.contains(0) else { throw Refused(reason: "it contains a NUL character") }
        for (open, close) in [("(\n", "\n)"), ("\n", "\n")] {
            try compile("SELECT 1 FROM \(source) WHERE \(open)", text, close, in: db)
        }
    }

    private mutating func compile(_ head: String, _ text: String, _ end: String, in db: Database) throws {
        let recorder = Recorder()
        sqlite3_set_authorizer(
            db.handle,
            { context, action, first, second, database, trigger in
                guard let context else { return SQLITE_DENY }
                return Unmanaged<Recorder>.fromOpaque(context).takeUnretainedValue().judge(
                    action, first.map { String(cString: $0) }, second.map { String(cString: $0) },
                    database.map { String(cString: $0) }, isOfView: trigger != nil)
            }, Unmanaged.passUnretained(recorder).toOpaque())
        defer { sqlite3_set_authorizer(db.handle, nil, nil) }
        let sql = head + text + end
        var (statement, tail): (OpaquePointer?, UnsafePointer<CChar>?)
        let (code, hasTail): (CInt, Bool) = sql.withCString { start in
            let code = sqlite3_prepare_v2(db.handle, start, -1, &statement, &tail)
            return (code, tail.map { $0.pointee != 0 } ?? false)
        }
        defer { sqlite3_finalize(statement) }
        if let refusal = recorder.refusal { throw Refused(reason: refusal) }
        guard code == SQLITE_OK, let statement else {
            let offset = Int(sqlite3_error_offset(db.handle)) - head.utf8.count
            throw Refused(
                reason: String(cString: sqlite3_errmsg(db.handle)),
                offset: (0...text.utf8.count).contains(offset) ? offset : nil)
        }
        guard !hasTail else { throw Refused(reason: "it is more than one expression") }
        guard sqlite3_bind_parameter_count(statement) == 0 else {
            throw Refused(reason: "it has a parameter")
        }
        guard sqlite3_stmt_readonly(statement) != 0 else { throw Refused(reason: "it could write") }
        reads += recorder.reads
        functions.formUnion(recorder.functions)
        tables.formUnion(recorder.tables)
    }

    /// Records what the authorizer is asked, and refuses what no expression may do.
    private final class Recorder {
        var reads: [Column] = []
        var functions: Set<String> = []
        var tables: Set<String> = []
        var refusal: String?

        func judge(
            _ action: CInt, _ first: String?, _ second: String?, _ database: String?, isOfView: Bool
        ) -> CInt {
            switch action {
            case SQLITE_SELECT: return SQLITE_OK
            case SQLITE_READ:
                guard let first, database == "main" || database == nil else {
                    return refuse("it reads a table of another database: \(first ?? "")")
                }
                guard !isOfView else { return refuse("it reads a view") }
                reads.append(Column(table: first.comparedName, column: (second ?? "").comparedName))
                tables.insert(first)
                return SQLITE_OK
            case SQLITE_FUNCTION:
                functions.insert((second ?? "").lowercased())
                return SQLITE_OK
            case SQLITE_RECURSIVE: return refuse("it is recursive")
            default: return refuse("it does more than read")
            }
        }

        private func refuse(_ reason: String) -> CInt {
            if refusal == nil { refusal = reason }
            return SQLITE_DENY
        }
    }
}
