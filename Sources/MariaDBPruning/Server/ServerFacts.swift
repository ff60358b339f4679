import FoundationEssentials
import Pruning

/// What decides whether pruned can use a server.
struct ServerFacts {
    private let variables: [String: String]
    /// The time by the server's clock.
    let date: Date
    private let isProxied: Bool

    init(of connection: Connection) throws(ServerError) {
        let rows = try connection.query(
            """
            SHOW VARIABLES WHERE Variable_name IN ('version', 'wsrep_on', 'read_only', 'binlog_format', 'log_bin')
            """
        ).rows
        variables = Dictionary(rows.map { ($0[0] ?? "", $0[1] ?? "") }) { $1 }
        let found = try connection.query("SELECT UNIX_TIMESTAMP(NOW(6)), CONNECTION_ID()")
        date = Date(timeIntervalSince1970: found.text(0, 0).flatMap(Double.init) ?? 0)
        isProxied = found.integer(0, 1) != Int64(connection.id)
    }

    private var version: [Int] {
        (variables["version"] ?? "").split(separator: "-").first.map {
            $0.split(separator: ".").compactMap { Int($0) }
        } ?? []
    }

    /// Throws if runs there would do something else than they say.
    func check(place: String) throws(StoreError) {
        let text = variables["version"] ?? ""
        func refusal(_ cause: String, _ hint: String) -> StoreError {
            StoreError(.unsupported, operation: "look at the server", place: place, cause: cause, hint: hint)
        }
        guard text.contains("MariaDB") else {
            throw refusal(
                "the server is no MariaDB (\(text))",
                "MySQL locks and deletes in other ways; it is not supported")
        }
        guard !version.lexicographicallyPrecedes([10, 6]) else {
            throw refusal(
                "MariaDB \(text) is older than 10.6",
                "rows that others have locked can be skipped from 10.6 on")
        }
        guard variables["wsrep_on"] != "ON" else {
            throw refusal(
                "the server is one of a Galera cluster", "there a commit may fail on another server")
        }
        guard !isProxied else {
            throw refusal(
                "a proxy stands before the server",
                "name the server itself: settings and locks belong to its connections")
        }
        guard variables["log_bin"] != "ON" || variables["binlog_format"] != "STATEMENT" else {
            throw refusal(
                "binlog_format is STATEMENT, with which rows cannot go one by one", "set it to MIXED or ROW")
        }
    }

    /// Throws ``StoreErrorKind/busy`` on a server that only reads.
    func refuseReplica(place: String) throws(StoreError) {
        guard variables["read_only"] == "ON" else { return }
        throw StoreError(
            .busy, operation: "use the database", place: place,
            cause: "the server is read_only, as a replica is",
            hint: "name the primary in the url; the next run asks again")
    }
}
