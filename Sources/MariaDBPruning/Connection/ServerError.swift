import CMariaDB
import Pruning
import RuleEngine

/// An error that the server or the client library reported.
struct ServerError: Error, Equatable {
    /// See "MariaDB Error Codes" in its knowledge base. 0 if there is none.
    let code: UInt32
    let state: String
    let message: String
    let isConnectionLost: Bool

    /// Whether the user may not do something to a table, or to a column of it.
    var isLackOfRight: Bool { [1_142, 1_143].contains(code) }

    static func lost(_ message: String) -> ServerError {
        ServerError(code: 2_013, state: "HY000", message: message, isConnectionLost: true)
    }

    init(code: UInt32, state: String, message: String, isConnectionLost: Bool) {
        (self.code, self.state, self.message) = (code, state, message)
        self.isConnectionLost = isConnectionLost
    }

    /// The last error of a handle.
    init(of handle: UnsafeMutablePointer<MYSQL>, _ library: libmariadb, isConnecting: Bool = false) {
        code = library.mysql_errno(handle)
        state = library.mysql_sqlstate(handle).map { String(cString: $0) } ?? ""
        message = library.mysql_error(handle).map { String(cString: $0) } ?? ""
        // Those of the client library, and those with which a server closes a connection.
        isConnectionLost =
            !isConnecting && ((2_000..<3_000).contains(code) || [1_053, 1_927, 4_031].contains(code))
    }
}

/// The codes that decide what a run does.
enum ServerCode {
    static let lockWaitTimeout: UInt32 = 1_205
    static let deadlock: UInt32 = 1_213
    static let statementTimeout: UInt32 = 1_969
    static let stillReferredTo: UInt32 = 1_451
    /// What a trigger raises by SIGNAL with a state of its own choice, most often 45000.
    static let raised: UInt32 = 1_644
}

/// Turns an error of the server into a ``StoreError`` with the operation and the place.
struct ServerFailure {
    let operation: String
    let place: String

    func meaning(of error: any Error) -> StoreError {
        switch error {
        case let error as StoreError: return error
        case let error as SchemaMismatch:
            return StoreError(
                error.kind, operation: operation, place: place, cause: error.cause, hint: error.hint)
        case let error as ServerError:
            let kind = Self.kind(of: error)
            return StoreError(
                kind, operation: operation, place: place,
                cause: error.code == ServerCode.raised
                    ? "a trigger of the app refuses it: \(error.message)"
                    : "\(error.message) (error \(error.code))",
                hint: Self.hint(kind, error))
        default:
            return StoreError(
                .other, operation: operation, place: place, cause: "\(error)", hint: StoreHint.rolledBack)
        }
    }

    /// The meaning of an error for a run.
    static func kind(of error: ServerError) -> StoreErrorKind {
        switch error.code {
        case ServerCode.lockWaitTimeout, ServerCode.deadlock, 1_040, 1_203, 1_226, 1_290, 1_792, 1_836: .busy
        case ServerCode.statementTimeout: .tooSlow
        case 1_021, 1_114: .full
        case 1_153, 1_206, 1_038: .tooLarge
        case 1_317, 1_927: .inputOutput
        case 1_034, 1_035, 1_194, 1_195, 1_712: .damaged
        case 1_044, 1_045, 1_142, 1_143, 1_227, 1_370, 1_698, 1_049, 1_054, 1_146, 1_305: .schema
        case ServerCode.stillReferredTo, 1_452, 1_048, 1_062, 4_025: .unsafe
        case 1_665: .unsupported
        default: (2_000..<3_000).contains(error.code) || error.code == 1_053 ? .inputOutput : .other
        }
    }

    private static func hint(_ kind: StoreErrorKind, _ error: ServerError) -> String? {
        switch error.code {
        case ServerCode.stillReferredTo: return StoreHint.stillReferredTo
        case ServerCode.raised: return StoreHint.refusingTrigger
        case 1_290, 1_792, 1_836:
            return "the server only reads now, as a replica does; the next run asks it again"
        case 1_044, 1_045, 1_142, 1_143, 1_227, 1_370, 1_698:
            return "the user lacks a right; pruned-mariadb(7), THE USER, has them all"
        case 1_049: return "check the name of the database in the url"
        case 1_665: return "with binlog_format = STATEMENT no rows can go one by one; set it to MIXED or ROW"
        default: break
        }
        return switch kind {
        case .busy: "others use the rows or the table; the next run tries again"
        case .full: "make room on the server's file system; the next run goes on"
        case .damaged: "nothing more is deleted there; look at the server's log, and have a backup ready"
        case .schema: StoreHint.changingTables
        case .tooSlow: "look at the table's triggers and foreign keys; or raise lock_time in [batch]"
        case .inputOutput where error.isConnectionLost:
            "uncommitted changes are rolled back; the next run goes on"
        case .inputOutput: "check that the server runs, and the socket, host and port in the url"
        default: nil
        }
    }
}
