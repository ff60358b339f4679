/// What is asked of a store, or done there, for a rule: the operation of an error.
package enum RuleWork {
    case countExpired, countByTime, lookForExpired, lookForNewest, lookForReturned, tellExpired, deleteExpired

    /// The operation on the rows of a table.
    package func of(_ table: String) -> String {
        switch self {
        case .countExpired: "count the expired rows of \(table)"
        case .countByTime: "count the rows of \(table) by their times"
        case .lookForExpired: "look for expired rows of \(table)"
        case .lookForNewest: "look for the newest rows of \(table)"
        case .lookForReturned: "look which rows of \(table) came back"
        case .tellExpired: "look which rows of \(table) are expired"
        case .deleteExpired: "delete expired rows of \(table)"
        }
    }
}
