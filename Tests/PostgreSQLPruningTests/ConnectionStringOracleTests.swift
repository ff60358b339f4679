import CPostgreSQL
import Retention
import TestSupport
import Testing

@testable import PostgreSQLPruning

@Suite("What is read as a connection string, against libpq's own reading")
struct ConnectionStringOracleTests {
    private static let secrets: Set<String> = ["password", "sslpassword"]

    /// What libpq reads: the settings, or its error.
    private static func parsed(_ text: String) throws -> Result<[String: String], Refusal> {
        var loadError: UnsafePointer<CChar>?
        let library = try #require(libpq_load(&loadError)).pointee
        var message: UnsafeMutablePointer<CChar>?
        guard let options = library.PQconninfoParse(text, &message) else {
            defer { library.PQfreemem(message) }
            return .failure(Refusal(message: message.map { String(cString: $0) } ?? ""))
        }
        return .success(library.settings(taking: options))
    }

    private struct Refusal: Error {
        let message: String

        /// Whether only the name of a setting is unknown, which a later libpq may know.
        var isOfName: Bool {
            message.contains("invalid connection option") || message.contains("invalid URI query parameter")
        }
    }

    @Test(
        "of 200,000 random texts none shows what libpq takes for a password, and none that it cannot read is taken"
    )
    func random() throws {
        var texts = RandomTexts()
        var (read, masked, refused) = (0, 0, 0)
        for _ in 0..<200_000 {
            let text = texts.next()
            let string = try? ConnectionString(text)
            switch try Self.parsed(text) {
            case .failure(let refusal):
                #expect(string == nil || refusal.isOfName, "\(text): \(refusal.message)")
                refused += 1
            case .success(var settings):
                guard let string else { continue }
                read += 1
                for name in Self.secrets where !(settings[name] ?? "").isEmpty {
                    settings[name] = "***"
                    masked += 1
                }
                if settings["dbname"].map({ $0.contains("=") || $0.contains("://") }) ?? false {
                    settings["dbname"] = try Self.parsed(string.redacted).get()["dbname"]
                }
                #expect(try Self.parsed(string.redacted).get() == settings, "\(text): \(string.redacted)")
                // An empty password behind another one is what counts, but the other one stands in the text.
                let hasPassword = settings.contains { Self.secrets.contains($0.key) && !$0.value.isEmpty }
                #expect(string.hasPassword || !hasPassword, "\(text)")
            }
        }
        #expect(read > 3_000 && masked > 1_000 && refused > 3_000, "\(read), \(masked), \(refused)")
    }
}

/// Random texts that look more or less like connection strings.
private struct RandomTexts {
    private var generator = SeededGenerator(seed: 19)

    private static let marks = [
        "a", "b1", "5432", "ada", "%40", "%2F", "%zz", "%00", "%", "@", ":", "/", "?", "&", "=", "'", "\\",
        "\\'", " ", ",", "[::1]", "[", "]", "ä", "***", "://", "+",
    ]
    private static let names = [
        "password", "sslpassword", "host", "user", "port", "dbname", "options", "pasword",
    ]

    mutating func next() -> String { flip() ? uri() : settings(" ") }

    private mutating func flip() -> Bool { Bool.random(using: &generator) }

    private mutating func word(_ count: Int) -> String {
        var word = ""
        for _ in 0..<Int.random(in: 0...count, using: &generator) {
            word += flip() ? "ada" : Self.marks.randomElement(using: &generator) ?? ""
        }
        return word
    }

    private mutating func uri() -> String {
        var text = flip() ? "postgresql://" : "postgres://"
        text += flip() ? word(2) + ":" + word(3) + "@" : word(1)
        text += word(2)
        if flip() { text += "/" + word(1) }
        return flip() ? text + "?" + settings("&") : text
    }

    private mutating func settings(_ separator: String) -> String {
        var settings: [String] = []
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            let name = Self.names.randomElement(using: &generator) ?? ""
            let isPlain = separator == "&" || flip()
            settings.append(isPlain ? name + "=" + word(3) : name + " = '" + word(3) + "'")
        }
        return settings.joined(separator: separator)
    }
}
