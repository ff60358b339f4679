import CPostgreSQL

/// An error that the server reported, or that ended the connection.
struct ServerError: Error, Equatable {
    /// The SQLSTATE, five characters; see the appendix "PostgreSQL Error Codes" of its manual. Nil if the connection failed
    /// before the server could say one.
    let code: String?
    /// The primary message, in the language of the server.
    let message: String
    var detail: String?
    var hint: String?
    /// The position in the statement, from 1 on; nil if the error is not about a place in it.
    var position: Int?
    /// Where in the code of a function it arose, the innermost place first; a line each.
    var context: String?
    /// The trigger that raised it, and its table, where that is known.
    var trigger: String?
    /// What broke: the constraint, column or table.
    var constraint: String?
    /// Whether the connection is gone.
    var isConnectionLost = false

    /// The message without line breaks, which one of another server has.
    var oneLine: String {
        message.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }
            .joined(separator: "; ")
    }

    /// The class of the code, which is its first two characters.
    var category: Substring { (code ?? "").prefix(2) }

    static func lost(_ message: String) -> ServerError {
        ServerError(
            code: nil, message: message.isEmpty ? "the connection was lost" : message, isConnectionLost: true)
    }
}

/// The codes that decide what a run does.
enum SQLState {
    static let lockNotAvailable = "55P03"
    static let deadlock = "40P01"
    static let serializationFailure = "40001"
    static let queryCanceled = "57014"
    static let insufficientPrivilege = "42501"
    static let objectInUse = "55006"
    static let diskFull = "53100"
    static let tooManyConnections = "53300"
    static let adminShutdown = "57P01"
    static let crashShutdown = "57P02"
    static let cannotConnectNow = "57P03"
    static let readOnlyTransaction = "25006"
    static let foreignKeyViolation = "23503"
    static let raisedException = "P0001"
}
