import CMariaDB
import Glibc
import Pruning

/// One connection to a server, for one thread at a time.
///
/// Statements are sent and then waited for, so that a stop ends them, and a watchdog sees that the worker lives.
final class Connection {
    let address: Address
    let control: RunControl
    private let library: libmariadb
    private var handle: UnsafeMutablePointer<MYSQL>?

    /// Whether the settings of the session may be others than those that were set.
    var mayBeChanged = true
    /// How long a statement may take, as it was set.
    var longest: Duration?
    /// How many statements it has sent.
    private(set) var sent: Int64 = 0

    /// The place of errors.
    var place: String { address.place }

    /// Connects. `name` is how the connection names itself to the server. Throws ``StoreErrorKind/busy`` while the server has no
    /// connection left.
    init(_ address: Address, _ control: RunControl, named name: String = "pruned") throws(StoreError) {
        (self.address, self.control) = (address, control)
        library = try Self.library(place: address.place)
        guard let handle = library.mysql_init(nil) else {
            throw StoreError(.other, operation: "connect", place: address.place, cause: "there is no memory")
        }
        let set = { [library] (option: mysql_option, value: UInt32) in
            _ = withUnsafePointer(to: library) { libmariadb_set_number($0, handle, option, value) }
        }
        let setText = { [library] (option: mysql_option, value: String) in
            _ = withUnsafePointer(to: library) { libmariadb_set_text($0, handle, option, value) }
        }
        setText(MYSQL_READ_DEFAULT_GROUP, "pruned")
        setText(MYSQL_SET_CHARSET_NAME, "utf8mb4")
        set(MYSQL_OPT_CONNECT_TIMEOUT, 5)
        set(MYSQL_OPT_LOCAL_INFILE, 0)
        // A peer that is gone without a word is found out. What takes longer is ended by ``longestSilence``.
        set(MYSQL_OPT_READ_TIMEOUT, 3_600)
        let made = library.mysql_real_connect(
            handle, address.host, address.user, address.password, address.database, address.port,
            address.socket, 0)
        guard made != nil else {
            let error = ServerError(of: handle, library, isConnecting: true)
            library.mysql_close(handle)
            let meaning = ServerFailure(operation: "connect", place: address.place).meaning(of: error)
            throw StoreError(
                meaning.kind, operation: meaning.operation, place: meaning.place, cause: meaning.cause,
                hint: address.hint(error) ?? meaning.hint)
        }
        self.handle = handle
        try perform("connect") { try self.setUp() }
    }

    /// Throws ``StoreErrorKind/unsupported`` where the library is not installed.
    private static func library(place: String) throws(StoreError) -> libmariadb {
        var reason: UnsafePointer<CChar>?
        guard let library = libmariadb_load(&reason) else {
            throw StoreError(
                .unsupported, operation: "connect", place: place,
                cause: reason.map { String(cString: $0) } ?? "libmariadb cannot be loaded",
                hint: "install the package libmariadb3")
        }
        return library.pointee
    }

    deinit { close() }

    func close() {
        if let handle { library.mysql_close(handle) }
        handle = nil
    }

    var isOpen: Bool { handle != nil }
    var id: UInt { handle.map { UInt(library.mysql_thread_id($0)) } ?? 0 }

    /// How long a statement that was cancelled may take to end, and how long a commit may take.
    private static let longestCancel = Duration.seconds(3)
    private static let longestCommit = Duration.seconds(60)
    private static let step = Duration.milliseconds(100)

    /// Runs one statement. With `isUnstoppable` a stop does not cancel it: a commit must end by itself.
    @discardableResult
    func query(_ sql: String, isUnstoppable: Bool = false) throws(ServerError) -> QueryResult {
        guard let handle else { throw .lost("the connection was lost") }
        sent += 1
        var text = sql
        let refusal = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                library.mysql_send_query(handle, $0.baseAddress, UInt($0.count))
            }
        }
        guard refusal == 0 else { throw failure(handle) }
        try awaitAnswer(handle, isUnstoppable)
        guard library.mysql_read_query_result(handle) == 0 else { throw failure(handle) }
        guard library.mysql_field_count(handle) > 0 else {
            return QueryResult(changes: Int64(bitPattern: library.mysql_affected_rows(handle)))
        }
        guard let result = library.mysql_store_result(handle) else { throw failure(handle) }
        defer { library.mysql_free_result(result) }
        return QueryResult(result, of: library)
    }

    private func awaitAnswer(
        _ handle: UnsafeMutablePointer<MYSQL>, _ isUnstoppable: Bool
    ) throws(ServerError) {
        let begin = control.monotonic()
        var stopped: Duration?
        while true {
            control.beat()
            var socket = pollfd(fd: library.mysql_get_socket(handle), events: Int16(POLLIN), revents: 0)
            guard socket.fd >= 0, poll(&socket, 1, CInt(Self.step / .milliseconds(1))) == 0 else { return }
            let now = control.monotonic()
            if control.stopReason != nil, stopped == nil {
                stopped = now
                if !isUnstoppable { cancel() }
            }
            let isTooLate = stopped.map { now - $0 > Self.longestCancel } ?? false
            guard isTooLate && !isUnstoppable || isUnstoppable && now - begin > Self.longestCommit else {
                continue
            }
            close()
            throw .lost("the server did not end a statement in time")
        }
    }

    /// Asks the server to cancel the statement, on a connection of its own.
    private func cancel() {
        let asking = RunControl(monotonic: control.monotonic)
        guard let other = try? Connection(address, asking) else { return }
        defer { other.close() }
        _ = try? other.query("KILL QUERY \(id)")
    }

    private func failure(_ handle: UnsafeMutablePointer<MYSQL>) -> ServerError {
        let error = ServerError(of: handle, library)
        if error.isConnectionLost { close() }
        return error
    }

    /// Runs `body`, and translates what it throws.
    func perform<Result>(_ operation: String, _ body: () throws -> Result) throws(StoreError) -> Result {
        do { return try body() } catch { throw failure(of: operation, error) }
    }

    /// The meaning of an error that the work threw.
    func failure(of operation: String, _ error: any Error) -> StoreError {
        let found = ServerFailure(operation: operation, place: place).meaning(of: error)
        guard [.tooSlow, .inputOutput, .interrupted].contains(found.kind), let reason = control.stopReason
        else { return found }
        return StoreError(
            .interrupted, operation: operation, place: place, cause: reason, hint: "the next run goes on")
    }
}

/// The rows and the count of one statement. All values are text, as the server writes them.
struct QueryResult {
    /// How many rows the statement changed.
    let changes: Int64
    /// Nil for NULL.
    let rows: [[String?]]

    init(changes: Int64) { (self.changes, rows) = (changes, []) }

    init(_ result: UnsafeMutablePointer<MYSQL_RES>, of library: libmariadb) {
        let columns = Int(library.mysql_num_fields(result))
        var rows: [[String?]] = []
        while let row = library.mysql_fetch_row(result), let lengths = library.mysql_fetch_lengths(result) {
            rows.append(
                (0..<columns).map { column in
                    row[column].map { value in
                        String(
                            decoding: UnsafeRawBufferPointer(start: value, count: Int(lengths[column])),
                            as: UTF8.self)
                    }
                })
        }
        (changes, self.rows) = (0, rows)
    }

    var count: Int { rows.count }
    func text(_ row: Int, _ column: Int) -> String? { rows.indices.contains(row) ? rows[row][column] : nil }
    func integer(_ row: Int, _ column: Int) -> Int64? { text(row, column).flatMap { Int64($0) } }
    func isTrue(_ row: Int, _ column: Int) -> Bool { (integer(row, column) ?? 0) != 0 }
}
