import Pruning

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
