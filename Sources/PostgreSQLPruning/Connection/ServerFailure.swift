import Pruning

/// Turns an error of the server into a ``StoreError`` with the operation and the place.
struct ServerFailure {
    let operation: String
    let place: String

    /// The error that the work threw, as one of the store.
    func meaning(of error: any Error) -> StoreError {
        switch error {
        case let error as StoreError: error
        case let error as ServerError: storeError(error)
        case let error as any PlacelessError: error.error(of: operation, place: place)
        default:
            StoreError(
                .other, operation: operation, place: place, cause: "\(error)",
                hint: StoreHint.rolledBack)
        }
    }

    private func storeError(_ error: ServerError) -> StoreError {
        let kind = Self.kind(of: error)
        let code = error.code.map { " (SQLSTATE \($0))" } ?? ""
        if error.code == SQLState.raisedException {
            // Only a trigger calls functions that raise errors of their own.
            let place = error.context?.split(separator: "\n").first.map { " (\($0))" } ?? ""
            return StoreError(
                kind, operation: operation, place: self.place,
                cause: "\(error.trigger ?? "a trigger of the app") refuses it: \(error.message)\(place)",
                hint: StoreHint.refusingTrigger)
        }
        let detail = error.detail.map { "; \($0)" } ?? ""
        return StoreError(
            kind, operation: operation, place: place, cause: error.oneLine + detail + code,
            hint: Self.hint(kind, error) ?? error.hint)
    }

    /// The meaning of an error for a run.
    static func kind(of error: ServerError) -> StoreError.Kind {
        guard let code = error.code else { return .inputOutput }
        switch code {
        case SQLState.lockNotAvailable, SQLState.deadlock, SQLState.serializationFailure,
            SQLState.objectInUse, SQLState.tooManyConnections, SQLState.cannotConnectNow:
            return .busy
        case SQLState.queryCanceled: return .tooSlow
        case SQLState.diskFull: return .full
        case SQLState.insufficientPrivilege: return .schema
        case "XX001", "XX002": return .damaged
        case SQLState.readOnlyTransaction: return .busy
        case "54000", "53200": return .tooLarge
        default: break
        }
        switch error.category {
        case "08", "57", "58": return .inputOutput
        case "42": return .schema
        case "23": return .unsafe
        default: return .other
        }
    }

    private static func hint(_ kind: StoreError.Kind, _ error: ServerError) -> String? {
        switch error.code {
        case SQLState.foreignKeyViolation:
            return StoreHint.stillReferredTo
        case SQLState.readOnlyTransaction:
            return "the server only reads now, as a standby does; the next run asks it again"
        case SQLState.insufficientPrivilege:
            return error.message.contains("row-level security")
                ? "policies hide rows of that table from the role: read another table, or let the role own it"
                : "the role lacks a right; pruned-postgresql(7), THE ROLE, has them all"
        case SQLState.adminShutdown, SQLState.crashShutdown:
            return "the server stops or restarts; the next run goes on"
        default: break
        }
        return switch kind {
        case .busy: "others use the rows or the table; the next run tries again"
        case .full: "make room on the server's file system; the next run goes on"
        case .damaged: "nothing more is deleted there; look at the server's log, and have a backup ready"
        case .schema: StoreHint.changingTables
        case .interrupted: "the next run goes on"
        case .tooSlow:
            "look at the table's triggers, foreign keys, and a GIN index whose pending list is full; or raise lock_time in [batch]"
        case .inputOutput where error.isConnectionLost:
            "uncommitted changes are rolled back; the next run goes on"
        case .inputOutput where error.category == "08":
            "the server cannot reach another one, such as a worker of Citus; once it can, the next run goes on"
        default: nil
        }
    }
}
