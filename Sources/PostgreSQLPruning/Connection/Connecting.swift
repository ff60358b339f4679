import CPostgreSQL
import Glibc
import Pruning

/// Makes a connection, in steps, so that a stop ends it.
///
/// libpq goes on to the next host when one refuses, but not when one never answers: only its function without steps knows a
/// timeout. Such a host is skipped here.
struct Connecting {
    let address: Address
    let control: RunControl
    let library: libpq
    /// Prepares the handle before the server can say anything.
    let prepare: (OpaquePointer) -> Void

    /// How often a waiting connection looks for a stop and shows that it lives.
    static let step = Duration.milliseconds(100)

    /// Throws ``StoreErrorKind/busy`` where another attempt may succeed: the server starts up, it has no connection left, or
    /// no host is the primary.
    func open() throws(StoreError) -> OpaquePointer {
        var parameters = try address.parameters(library)
        var hosts: HostList?
        while true {
            switch try attempt(parameters, &hosts) {
            case .made(let handle): return handle
            case .hung:
                guard let rest = hosts, !rest.entries.isEmpty else {
                    throw error(
                        .inputOutput, "the server did not answer in time",
                        hint: "check the host, the port and the firewall")
                }
                // Later parameters go over earlier ones, and over those of the text.
                parameters = try address.parameters(library) + rest.parameters
            }
        }
    }

    private enum Attempt {
        case made(OpaquePointer)
        /// An address did not answer in time.
        case hung
    }

    private func attempt(
        _ parameters: [(name: String, value: String)], _ hosts: inout HostList?
    ) throws(StoreError) -> Attempt {
        let (names, values) = (CStrings(parameters.map(\.name)), CStrings(parameters.map(\.value)))
        let started = names.withPointers { names in
            values.withPointers { values in library.PQconnectStartParams(names, values, 1) }
        }
        guard let handle = started, library.PQstatus(handle) != CONNECTION_BAD else {
            throw failure(of: started, names, values)
        }
        prepare(handle)
        var list = hosts ?? HostList(of: handle, library)
        var (tried, since) = (current(handle), control.monotonic())
        var state = PGRES_POLLING_WRITING
        while state != PGRES_POLLING_OK {
            guard state != PGRES_POLLING_FAILED else { throw failure(of: handle, names, values) }
            guard control.stopReason == nil else {
                library.PQfinish(handle)
                throw error(.interrupted, "a stop was requested", hint: nil)
            }
            if current(handle) != tried { (tried, since) = (current(handle), control.monotonic()) }
            guard control.monotonic() - since <= list.patience else {
                library.PQfinish(handle)
                list.skip(tried.name, port: tried.port, address: tried.address, others: HostList.addresses)
                hosts = list
                return .hung
            }
            if Self.wait(
                library.PQsocket(handle), for: state == PGRES_POLLING_READING ? POLLIN : POLLOUT, control)
            {
                state = library.PQconnectPoll(handle)
            }
        }
        return .made(handle)
    }

    /// The address that is being tried.
    private func current(_ handle: OpaquePointer) -> HostList.Entry {
        func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
        return HostList.Entry(
            name: text(library.PQhost(handle)), address: text(library.PQhostaddr(handle)),
            port: text(library.PQport(handle)))
    }

    /// Waits until the socket is ready, at most for a step. Returns whether it is.
    static func wait(_ socket: CInt, for events: CInt, _ control: RunControl) -> Bool {
        control.beat()
        var socket = pollfd(fd: socket, events: Int16(events), revents: 0)
        guard socket.fd >= 0 else { return true }
        return poll(&socket, 1, CInt(step / .milliseconds(1))) > 0
    }

    private func error(_ kind: StoreErrorKind, _ cause: String, hint: String?) -> StoreError {
        StoreError(kind, operation: "connect", place: address.place, cause: cause, hint: hint)
    }

    // MARK: - Failures

    /// The error of a connection that could not be made. libpq knows no code of it, but asks whether the server is just
    /// starting.
    private func failure(of handle: OpaquePointer?, _ names: CStrings, _ values: CStrings) -> StoreError {
        let text = library.PQerrorMessage(handle).map { String(cString: $0) } ?? ""
        let needsPassword = handle.map { library.PQconnectionNeedsPassword($0) != 0 } ?? false
        if let handle { library.PQfinish(handle) }
        let lines = text.split(separator: "\n").map { $0.drop { $0 == " " || $0 == "\t" } }
        let cause = lines.isEmpty ? "no connection" : lines.joined(separator: "; ")
        if let hint = Self.passing.first(where: { pattern in cause.contains(pattern.text) })?.hint {
            return error(.busy, cause, hint: hint)
        }
        let answer = names.withPointers { names in
            values.withPointers { values in library.PQpingParams(names, values, 1) }
        }
        return switch answer {
        case PQPING_REJECT:
            error(.busy, cause, hint: "the server starts up or shuts down; the next run tries again")
        case PQPING_NO_RESPONSE:
            error(
                .inputOutput, cause,
                hint: "check that the server runs, and its host, port and socket directory")
        default:
            error(.inputOutput, cause, hint: needsPassword ? Self.passwordHint : Self.hint(for: cause))
        }
    }

    private static let passwordHint =
        "give the password in a .pgpass file that belongs to the user of this process, or in a service file;"
        + " pruned-postgresql(7), PASSWORDS, tells how"

    /// What helps against a refusal, in the words of libpq and of servers in English.
    private static func hint(for cause: String) -> String {
        let known = [
            ("password authentication failed", "the password for this role is wrong, wherever it comes from"),
            ("definition of service", "the service file lacks it; pruned-postgresql(7), PASSWORDS"),
            ("pg_hba.conf", "the server's pg_hba.conf lets this role in from elsewhere, or not at all"),
            (
                "authentication failed",
                "the server's pg_hba.conf wants another user of the system, or another way in"
            ),
        ].first { cause.contains($0.0) }?.1
        if let known { return known }
        guard cause.contains("does not exist") else {
            return "check the role, the database and the server's pg_hba.conf"
        }
        return cause.contains("database")
            ? "correct the name of the database in the url"
            : "create the role, or name another by user= in the url; without it the role is the user of this process"
    }

    /// What passes by itself: libpq's own words, which it does not translate here, and those of servers in English.
    private static let passing: [(text: String, hint: String)] = [
        ("server is in hot standby mode", noPrimary), ("session is read-only", noPrimary),
        ("too many c", noConnection), ("remaining connection slots", noConnection),
        ("no more connections allowed", noConnection),
    ]
    private static let noPrimary =
        "none of the hosts is the primary now, or the url lacks its host; the next run asks again"
    private static let noConnection = "the server has no connection left; the next run tries again"
}
