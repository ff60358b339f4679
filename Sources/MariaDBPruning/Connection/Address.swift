import Pruning
import Retention
import RuleEngine

/// Where a database is, as the configuration says it: `mariadb://USER:PASSWORD@HOST:PORT/DATABASE?socket=PATH`.
struct Address: Sendable {
    /// The text for people, without the password.
    let place: String
    let database: String
    /// What the text leaves out is nil, and comes from option files.
    private(set) var user: String?
    private(set) var password: String?
    private(set) var host: String?
    private(set) var port: UInt32 = 0
    private(set) var socket: String?
    /// The rights that a user needs at least, as in a GRANT, and the table; nil if there is no rule.
    var needed: (rights: String, table: TableName)?

    /// Throws if the text names no database, or has a setting that means nothing.
    init(text: String, place: String) throws(StoreError) {
        self.place = place
        func refusal(_ cause: String) -> StoreError {
            StoreError(
                .schema, operation: "connect", place: place, cause: cause,
                hint: "write mariadb://USER@HOST:PORT/DATABASE, or mariadb:///DATABASE?socket=PATH")
        }
        let parts = text.dropFirst("mariadb://".count).split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let authority = path[0].split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard path.count == 2, !path[1].isEmpty else { throw refusal("url names no database") }
        database = path[1].withoutPercents
        if authority.count == 2 {
            let login = authority[0].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            user = login.first.flatMap { $0.isEmpty ? nil : $0.withoutPercents }
            password = login.count == 2 && !login[1].isEmpty ? login[1].withoutPercents : nil
        }
        // An IPv6 address has colons, and stands in brackets.
        let server = authority[authority.count - 1]
        let isBracketed = server.hasPrefix("[")
        let end = isBracketed ? server.firstIndex(of: "]") : server.firstIndex(of: ":")
        let name =
            isBracketed
            ? server[..<(end ?? server.endIndex)].dropFirst() : server[..<(end ?? server.endIndex)]
        host = name.isEmpty ? nil : name.withoutPercents
        port = end.flatMap { server[$0...].split(separator: ":").last }.flatMap { UInt32($0) } ?? 0
        for setting in parts.count == 2 ? parts[1].split(separator: "&") : [] {
            guard let value = setting.split(separator: "=", maxSplits: 1).dropFirst().first,
                setting.hasPrefix("socket=")
            else { throw refusal("url has a setting other than socket") }
            socket = value.withoutPercents
        }
    }
}

extension Address {
    /// A name as a rule writes it: one of the database, or `database.table`.
    func names(of text: String) -> [TableName] {
        let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
        let bare = TableName(text)
        guard parts.count == 2 else { return [bare] }
        return [bare, TableName(parts[1], in: parts[0] == database ? nil : parts[0])]
    }

    /// The statement that gives a user a right on a table.
    func grant(_ right: String, on table: TableName, to user: String) -> String {
        let name = [table.schema ?? database, table.name].map(\.inBackticks).joined(separator: ".")
        return "GRANT \(right) ON \(name) TO \(user)"
    }

    /// What helps a user whom the server does not let in.
    func hint(_ error: ServerError) -> String? {
        // 'USER'@'HOST', in whatever language.
        let parts = error.message.split(separator: "'", omittingEmptySubsequences: false).map(String.init)
        guard parts.count > 4, parts[2] == "@" else { return nil }
        let user = "\(parts[1].inBackticks)@\(parts[3].inBackticks)"
        let passwords = "pruned-mariadb(7), PASSWORDS"
        switch error.code {
        case 1_044: return needed.map { grant($0.rights, on: $0.table, to: user) }
        case 1_045 where error.message.contains(": YES"):
            return "check the user's password, and that the user may come from this host: \(passwords)"
        case 1_045, 1_698:
            return host == nil || host == "localhost"
                ? "CREATE USER \(user) IDENTIFIED VIA unix_socket, for a user of this name; others need a password: \(passwords)"
                : "over TCP a user needs a password: \(passwords); by the socket, which a url without a host means, none"
        default: return nil
        }
    }
}

extension Substring {
    fileprivate var withoutPercents: String {
        var (bytes, rest): ([UInt8], Substring.UTF8View) = ([], utf8)
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard byte == UInt8(ascii: "%"), let value = UInt8(digits, radix: 16) else {
                bytes.append(byte)
                continue
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
