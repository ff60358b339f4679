import CPostgreSQL
import Dispatch
import Glibc
import Pruning

/// One connection to a server, for one thread at a time.
///
/// Statements are sent and then waited for, so that a stop ends them, and a watchdog sees that the worker lives.
final class Connection {
    let address: Address
    let control: RunControl
    private let library: libpq
    private var handle: OpaquePointer?
    private var prepared: Set<String> = []
    /// Why the connection was lost. Every later statement fails for the same reason.
    private var loss: ServerError?
    /// See ``storages()``; nil until they were looked for.
    var knownStorages: Set<String>?
    /// The warnings that the server sent with the last statement.
    let warnings = Warnings()

    /// The place of errors.
    var place: String { address.place }

    /// Connects. Throws ``StoreErrorKind/busy`` while the server starts up or has no connection left.
    init(_ address: Address, _ control: RunControl) throws(StoreError) {
        (self.address, self.control) = (address, control)
        library = try ClientLibrary.load(place: address.place)
        let (library, warnings) = (library, warnings)
        handle = try Connecting(address: address, control: control, library: library) { handle in
            _ = library.PQsetNoticeReceiver(
                handle, receiveNotice, Unmanaged.passUnretained(warnings).toOpaque())
        }.open()
    }

    deinit { close() }

    func close() {
        if let handle { library.PQfinish(handle) }
        handle = nil
    }

    var isOpen: Bool { handle.map { library.PQstatus($0) == CONNECTION_OK } ?? false }
    var isInTransaction: Bool { handle.map { library.PQtransactionStatus($0) != PQTRANS_IDLE } ?? false }
    /// The process that libpq believes to talk to. Behind a pooler it is none of the server's.
    var processID: Int { Int(library.PQbackendPID(handle)) }

    /// How long a cancelled statement may take to end, and a commit that a stop waits for.
    private static let longestCancel = Duration.seconds(3)
    /// How long a commit may take. One that writes to the disk of a server that is alive is never that slow.
    private static let longestCommit = Duration.seconds(60)

    // MARK: - Statements

    /// Runs statements without parameters, one after the other, and returns the result of the last.
    ///
    /// With `isUnstoppable` a stop does not cancel them: a commit must end by itself. After `limit` they are cancelled.
    @discardableResult
    func run(
        _ sql: String, isUnstoppable: Bool = false, within limit: Duration? = nil
    ) throws(ServerError) -> QueryResult? {
        try send { handle in library.PQsendQuery(handle, sql) }
        return try result(isUnstoppable: isUnstoppable, within: limit)
    }

    /// Runs statements without parameters, one after the other, and returns the results of all.
    func results(of sql: String) throws(ServerError) -> [QueryResult] {
        try send { handle in library.PQsendQuery(handle, sql) }
        return try results()
    }

    /// Runs one statement with `values` for `$1`, `$2` and so on.
    func query(_ sql: String, _ values: [String?] = []) throws(ServerError) -> QueryResult {
        let values = CStrings(values)
        try send { handle in
            values.withPointers {
                library.PQsendQueryParams(handle, sql, CInt(values.count), nil, $0, nil, nil, 0)
            }
        }
        return try required(result())
    }

    /// Prepares a statement under `name`, and runs it from then on without planning it again.
    func queryPrepared(_ name: String, _ sql: String, _ values: [String?]) throws(ServerError) -> QueryResult
    {
        try prepare(name, sql)
        return try runPrepared(name, CStrings(values))
    }

    /// The same with values that need not be UTF-8. Without a name, the statement is not prepared.
    func query(
        _ sql: String, bytes: [[UInt8]?], preparedAs name: String? = nil
    ) throws(ServerError) -> QueryResult {
        let values = CStrings(bytes: bytes)
        if let name {
            try prepare(name, sql)
            return try runPrepared(name, values)
        }
        try send { handle in
            values.withPointers {
                library.PQsendQueryParams(handle, sql, CInt(values.count), nil, $0, nil, nil, 0)
            }
        }
        return try required(result())
    }

    /// Whether ``prepare(_:_:)`` has prepared a statement of this name.
    func hasPrepared(_ name: String) -> Bool { prepared.contains(name) }

    /// Drops all that was prepared, by whomever.
    func forgetPrepared() throws(ServerError) {
        prepared = []
        try run("DEALLOCATE ALL")
    }

    /// Prepares a statement, unless one of this name was.
    func prepare(_ name: String, _ sql: String) throws(ServerError) {
        if prepared.insert(name).inserted {
            do throws(ServerError) {
                try send { handle in library.PQsendPrepare(handle, name, sql, 0, nil) }
                _ = try result()
            } catch {
                prepared.remove(name)
                throw error
            }
        }
    }

    private func runPrepared(_ name: String, _ values: CStrings) throws(ServerError) -> QueryResult {
        try send { handle in
            values.withPointers {
                library.PQsendQueryPrepared(handle, name, CInt(values.count), $0, nil, nil, 0)
            }
        }
        return try required(result())
    }

    /// Lets the server understand a statement, without planning or running it.
    func parse(_ sql: String) throws(ServerError) {
        try send { handle in library.PQsendPrepare(handle, "", sql, 0, nil) }
        _ = try result()
    }

    private func required(_ result: QueryResult?) throws(ServerError) -> QueryResult {
        guard let result else { throw .lost("the server sent no result") }
        return result
    }

    private func send(_ body: (OpaquePointer) -> CInt) throws(ServerError) {
        warnings.clear()
        guard let handle, library.PQstatus(handle) == CONNECTION_OK else {
            throw loss ?? .lost("")
        }
        guard body(handle) == 1 else { throw lostConnection() }
    }

    private func result(
        isUnstoppable: Bool = false, within limit: Duration? = nil
    ) throws(ServerError) -> QueryResult? { try results(isUnstoppable: isUnstoppable, within: limit).last }

    /// Waits for all results of what was sent. A stop cancels the statement.
    private func results(
        isUnstoppable: Bool = false, within limit: Duration? = nil
    ) throws(ServerError) -> [QueryResult] {
        let end = limit.map { control.monotonic() + $0 }
        var results: [QueryResult] = []
        var failure: ServerError?
        var stopped: Duration?
        let begin = control.monotonic()
        while let handle {
            guard library.PQisBusy(handle) == 0 else {
                let isOver = end.map { control.monotonic() > $0 } ?? false
                if control.stopReason != nil || isOver, stopped == nil {
                    stopped = control.monotonic()
                    if !isUnstoppable || isOver { cancel() }
                }
                try giveUp(
                    if: stopped.map { control.monotonic() - $0 > Self.longestCancel } ?? false
                        || isUnstoppable && control.monotonic() - begin > Self.longestCommit)
                guard Connecting.wait(library.PQsocket(handle), for: POLLIN, control) else { continue }
                guard library.PQconsumeInput(handle) == 1 else { throw lostConnection(after: failure) }
                continue
            }
            guard let pointer = library.PQgetResult(handle) else { break }
            let status = library.PQresultStatus(pointer)
            if status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE {
                // The first error is the cause of those that follow.
                failure = failure ?? error(of: pointer)
                library.PQclear(pointer)
            } else {
                results.append(QueryResult(pointer, of: library))
            }
        }
        guard isOpen else { throw lostConnection(after: failure) }
        if let failure { throw failure }
        return results
    }

    private func giveUp(if isTooLate: Bool) throws(ServerError) {
        guard isTooLate else { return }
        close()
        let lost = ServerError.lost("the server did not end a statement in time")
        loss = lost
        throw lost
    }

    /// Asks the server to cancel the statement, on a connection of its own, for which nobody waits.
    private func cancel() {
        // Unsafe, as the compiler does not know C's pointers: nobody but the block below has this one.
        nonisolated(unsafe) let request = library.PQgetCancel(handle)
        guard request != nil else { return }
        let library = library
        DispatchQueue.global().async {
            var message = [CChar](repeating: 0, count: 256)
            _ = library.PQcancel(request, &message, CInt(message.count))
            library.PQfreeCancel(request)
        }
    }

    /// What the server said before it closed the connection tells more than that it did.
    private func lostConnection(after failure: ServerError? = nil) -> ServerError {
        let text = library.PQerrorMessage(handle).map { String(cString: $0) } ?? ""
        close()
        let lines = text.split(separator: "\n").map { $0.drop { $0 == " " || $0 == "\t" } }
        var lost = failure ?? .lost(lines.joined(separator: "; "))
        lost.isConnectionLost = true
        loss = lost
        return lost
    }

    private func error(of result: OpaquePointer) -> ServerError {
        func field(_ name: Character) -> String? {
            library.PQresultErrorField(result, CInt(name.asciiValue ?? 0)).map { String(cString: $0) }
        }
        let text = library.PQresultErrorMessage(result).map { String(cString: $0) } ?? ""
        return ServerError(
            code: field("C"), message: field("M") ?? text.split(separator: "\n").joined(separator: "; "),
            detail: field("D"), hint: field("H"), position: field("P").flatMap { Int($0) },
            context: field("W"), constraint: field("n"))
    }
}

/// The warnings that a server sends with a statement.
final class Warnings {
    fileprivate(set) var messages: [String] = []
    /// What belongs to them, where the server says more than a message.
    fileprivate(set) var details: [String] = []

    fileprivate func clear() { (messages, details) = ([], []) }
}

private func receiveNotice(_ context: UnsafeMutableRawPointer?, _ result: OpaquePointer?) {
    var reason: UnsafePointer<CChar>?
    guard let context, let library = libpq_load(&reason)?.pointee,
        let text = library.PQresultErrorField(result, CInt(UInt8(ascii: "M")))
    else { return }
    let warnings = Unmanaged<Warnings>.fromOpaque(context).takeUnretainedValue()
    warnings.messages.append(String(cString: text))
    if let detail = library.PQresultErrorField(result, CInt(UInt8(ascii: "D"))) {
        warnings.details.append(String(cString: detail))
    }
}
