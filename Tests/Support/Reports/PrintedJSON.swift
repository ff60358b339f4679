import Foundation

/// What a program prints with `--json`, or a line of it, as scripts read it.
package protocol PrintedJSON: Decodable {}

extension PrintedJSON {
    package init(json: some StringProtocol) throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .iso8601
        self = try decoder.decode(Self.self, from: Data(json.utf8))
    }
}

extension EndedProgram {
    /// Its standard output, however it ended.
    package func printed<Printed: PrintedJSON>(_ type: Printed.Type = Printed.self) throws -> Printed {
        do { return try Printed(json: output) } catch { throw ProgramFailed(program: self) }
    }

    package func report() throws -> PrintedReport { try printed() }

    package func statusReport() throws -> PrintedStatus { try printed() }

    /// The report of a restore, by rule.
    package func restored() throws -> [String: PrintedRestore.Rule] {
        Dictionary(uniqueKeysWithValues: try printed(PrintedRestore.self).rules.map { ($0.rule, $0) })
    }

    /// Its standard output, which must be one line of JSON, from a program that ended with `expected`.
    package func json(endingWith expected: Int32 = 0) throws -> Any {
        guard status == expected, errors.isEmpty, output.hasSuffix("\n"), !output.dropLast().contains("\n")
        else {
            throw ProgramFailed(program: self)
        }
        return try JSONSerialization.jsonObject(with: Data(output.utf8))
    }

    /// The same, an object: its members, whatever their names.
    package func members(endingWith expected: Int32 = 0) throws -> [String: Any] {
        guard let members = try json(endingWith: expected) as? [String: Any] else {
            throw ProgramFailed(program: self)
        }
        return members
    }
}
