/// A connection string in the form `postgresql://user:password@host:port,host:port/database?setting=value&...`, as libpq
/// reads it.
enum ConnectionURI {
    /// libpq knows its own in lower case only.
    static let schemes = ["postgresql://", "postgres://", mariadb]
    static let mariadb = "mariadb://"

    /// Where the text begins behind its scheme; nil if it has none.
    static func start(of bytes: [UInt8]) -> Int? {
        schemes.first { bytes.starts(with: $0.utf8) }?.utf8.count
    }

    /// The secrets of the URI `bytes`, whose scheme ends at `start`. Throws if it is ambiguous or libpq would refuse it.
    static func secrets(in bytes: [UInt8], from start: Int) throws(ConnectionStringError) -> ConnectionSecrets
    {
        var secrets = ConnectionSecrets()
        let query = bytes[start...].firstIndex(of: UInt8(ascii: "?"))
        let slash = bytes[start...].firstIndex(of: UInt8(ascii: "/"))
        // As in libpq, a user or a password may have a question mark, but no slash.
        let at = bytes[start..<(slash ?? bytes.endIndex)].firstIndex(of: UInt8(ascii: "@"))
        var place = start
        if let at {
            let colon = bytes[start..<at].firstIndex(of: UInt8(ascii: ":"))
            _ = try decoded(bytes[start..<(colon ?? at)])
            if let colon {
                _ = try decoded(bytes[(colon + 1)..<at])
                secrets.addPassword(at: (colon + 1)..<at)
            }
            place = at + 1
        }
        let end = query.flatMap { $0 < place ? bytes[place...].firstIndex(of: UInt8(ascii: "?")) : $0 }
        let database = bytes[place..<(end ?? bytes.endIndex)].firstIndex(of: UInt8(ascii: "/"))
        // Without a slash before it, an @ in the query would end a user's name.
        if database == nil, let end, bytes[end...].contains(UInt8(ascii: "@")) {
            throw misplaced("has an @ behind the host")
        }
        try checkHosts(bytes[place..<(database ?? end ?? bytes.endIndex)])
        if let database { try checkDatabase(bytes[(database + 1)..<(end ?? bytes.endIndex)]) }
        if let end { try add(bytes[(end + 1)...], to: &secrets) }
        return secrets
    }

    /// A mark in the wrong place probably belongs to a password, which therefore cannot be told from the rest.
    private static func misplaced(_ reason: String) -> ConnectionStringError {
        ConnectionStringError(
            reason,
            hint: "in a user's name or a password write %40 for @, %2F for /, %3A for : and %25 for %")
    }

    private static func checkHosts(_ hosts: ArraySlice<UInt8>) throws(ConnectionStringError) {
        guard !hosts.contains(UInt8(ascii: "@")) else { throw misplaced("has more than one @") }
        for host in hosts.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            var rest = host
            if host.first == UInt8(ascii: "[") {
                guard let bracket = host.firstIndex(of: UInt8(ascii: "]")), bracket > host.startIndex + 1
                else {
                    throw ConnectionStringError(
                        "has a [ without an address and a ]",
                        hint: "an IPv6 address stands in brackets: [::1]:5432")
                }
                rest = host[(bracket + 1)...]
                guard rest.isEmpty || rest.first == UInt8(ascii: ":") else {
                    throw misplaced("has something other than a port behind a ]")
                }
            }
            let colon = rest.firstIndex(of: UInt8(ascii: ":"))
            _ = try decoded(rest[..<(colon ?? rest.endIndex)])
            guard let colon else { continue }
            guard rest[(colon + 1)...].allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
            else { throw misplaced("has a port that is not a number") }
        }
    }

    private static func checkDatabase(_ name: ArraySlice<UInt8>) throws(ConnectionStringError) {
        guard !name.contains(UInt8(ascii: "@")) else { throw misplaced("has an @ behind the host") }
        _ = try decoded(name)
    }

    private static func add(
        _ query: ArraySlice<UInt8>, to secrets: inout ConnectionSecrets
    ) throws(ConnectionStringError) {
        guard !query.isEmpty else { return }
        for setting in query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            let parts = setting.split(separator: UInt8(ascii: "="), omittingEmptySubsequences: false)
            guard parts.count == 2 else {
                throw ConnectionStringError(
                    "has something other than setting=value behind the ?",
                    hint: "in a value write %3D for =, %26 for & and %3F for ?")
            }
            let name = String(decoding: try decoded(parts[0]), as: UTF8.self)
            secrets.add(name, try decoded(parts[1]), at: parts[1].startIndex..<parts[1].endIndex)
        }
    }

    /// The bytes without percent-encoding.
    private static func decoded(_ bytes: ArraySlice<UInt8>) throws(ConnectionStringError) -> [UInt8] {
        var (decoded, rest): ([UInt8], ArraySlice<UInt8>) = ([], bytes)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            rest = rest.dropFirst(2)
            let isHex = digits.count == 2 && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
            guard isHex, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16), value != 0
            else {
                throw misplaced("has a % that is not followed by two hexadecimal digits other than 00")
            }
            decoded.append(value)
        }
        return decoded
    }
}
