/// A connection string in the form `host=db user=ada password='a b'`, as libpq reads it.
///
/// Blanks may stand around the equals sign. A value in single quotes may have blanks. A backslash takes the next
/// character literally.
enum ConnectionSettings {
    /// The secrets of the settings. Throws if libpq would refuse them.
    static func secrets(in bytes: [UInt8]) throws(ConnectionStringError) -> ConnectionSecrets {
        var (secrets, rest) = (ConnectionSecrets(), bytes[...].drop(while: isBlank))
        guard !rest.isEmpty else { throw notOne }
        while !rest.isEmpty {
            let name = rest.prefix { !isBlank($0) && $0 != UInt8(ascii: "=") }
            rest = rest[name.endIndex...].drop(while: isBlank)
            guard rest.popFirst() == UInt8(ascii: "="), !name.isEmpty, name.allSatisfy(isOfName) else {
                throw notOne
            }
            rest = rest.drop(while: isBlank)
            let (start, quotes) = (rest.startIndex, rest.first == UInt8(ascii: "'") ? 1 : 0)
            let value = try takeValue(from: &rest)
            // Quotes stay: behind them the next setting may follow without a blank.
            let range = (start + quotes)..<(rest.startIndex - quotes)
            secrets.add(String(decoding: name, as: UTF8.self), value, at: range)
            rest = rest.drop(while: isBlank)
        }
        return secrets
    }

    private static var notOne: ConnectionStringError {
        ConnectionStringError(
            "is not a connection string",
            hint:
                "write postgresql://HOST/DATABASE, or settings such as host=/run/postgresql dbname=miniflux;"
                + " a value with blanks stands in single quotes"
        )
    }

    private static func takeValue(from rest: inout ArraySlice<UInt8>) throws(ConnectionStringError) -> [UInt8]
    {
        let isQuoted = rest.first == UInt8(ascii: "'")
        if isQuoted { rest.removeFirst() }
        var value: [UInt8] = []
        while let byte = rest.first {
            if !isQuoted, isBlank(byte) { return value }
            rest.removeFirst()
            switch byte {
            case UInt8(ascii: "\\"):
                if let literal = rest.popFirst() { value.append(literal) }
            case UInt8(ascii: "'") where isQuoted: return value
            default: value.append(byte)
            }
        }
        guard !isQuoted else {
            throw ConnectionStringError(
                "has a single quote without its end", hint: "in a value write \\' for ' and \\\\ for \\")
        }
        return value
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") }

    private static func isOfName(_ byte: UInt8) -> Bool {
        Character(Unicode.Scalar(byte)).isLetter && byte < 0x80 || byte == UInt8(ascii: "_")
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
