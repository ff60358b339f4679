/// What the server makes of an expression.
struct ExpressionCompilation {
    let tree: ExpressionTree
    private let head: String
    private let length: Int

    /// The server does not understand the expression.
    struct Refused: Error {
        let code: String?
        let reason: String
        /// The position in the expression, in bytes from 0; nil if unknown.
        var offset: Int?
    }

    /// Twice: once in parentheses, and once without. What breaks out of the parentheses is refused without them, and
    /// what continues the statement after the condition is refused in them.
    init(
        of text: String, from relation: Relation, beside common: [Relation], in connection: Connection
    ) throws {
        let start =
            RowExpressions.with(common) + "SELECT FROM \(relation.sql) AS \(relation.alias) WHERE "
        head = start + "(\n"
        length = text.utf8.count
        let isUTF8 = ["UTF8", "SQL_ASCII"].contains(
            try connection.query("SELECT current_setting('server_encoding')").text(0, 0))
        guard isUTF8 || (start + text).utf8.allSatisfy({ $0 < 128 }) else {
            throw Refused(
                code: nil, reason: "it has characters beyond ASCII, and the database is not in UTF8",
                offset: nil)
        }
        _ = try Self.parse(start + "\n", text, "\n", isShown: false, in: connection)
        let shown = try Self.parse(head, text, "\n) IS TRUE", isShown: true, in: connection)
        guard let shown, let tree = ExpressionTree(shown) else {
            throw Refused(code: nil, reason: "the server does not show how it understands it", offset: nil)
        }
        self.tree = tree
    }

    /// The same of an expression whose meaning is known from its words.
    static func understand(_ text: String, from relation: Relation, in connection: Connection) throws {
        let start = "SELECT FROM \(relation.sql) AS \(relation.alias) WHERE "
        _ = try parse(start + "\n", text, "\n", isShown: false, in: connection)
        _ = try parse(start + "(\n", text, "\n) IS TRUE", isShown: false, in: connection)
    }

    /// The place in the expression of one in the statement, in bytes.
    func offset(of location: Int?) -> Int? {
        guard let location else { return nil }
        let offset = location - head.utf8.count
        return (0..<max(1, length)).contains(offset) ? offset : nil
    }

    /// Classes of errors that are not about the text: the connection, transactions, memory, locks, a stop, the system.
    private static let othersFault: Set<Substring> = ["08", "25", "40", "53", "55", "57", "58", "XX"]

    /// Lets the server understand the statement, and returns its tree. Nothing is planned or run.
    private static func parse(
        _ head: String, _ text: String, _ end: String, isShown: Bool, in connection: Connection
    ) throws -> String? {
        // The settings, and an error, end with the savepoint.
        try connection.run("SAVEPOINT pruned_expression")
        var result: Result<[String], ServerError> = .success([])
        do throws(ServerError) {
            if isShown {
                try connection.run(
                    """
                    SET LOCAL client_min_messages = log; SET LOCAL debug_pretty_print = off; \
                    SET LOCAL debug_print_parse = on
                    """)
            }
            try connection.parse(head + text + end)
            result = .success(connection.warnings.details)
        } catch {
            result = .failure(error)
        }
        if connection.isOpen {
            try connection.run("ROLLBACK TO SAVEPOINT pruned_expression; RELEASE SAVEPOINT pruned_expression")
        }
        switch result {
        case .success(let details):
            return details.last { $0.drop { $0 == " " || $0 == "\n" }.hasPrefix("{QUERY") }
        case .failure(let error):
            guard error.code != nil, !error.isConnectionLost, !Self.othersFault.contains(error.category)
            else { throw error }
            let characters = error.position.map { $0 - 1 - head.unicodeScalars.count }
            let scalars = text.unicodeScalars
            let offset = characters.flatMap { count in
                (0...scalars.count).contains(count)
                    ? String(String.UnicodeScalarView(scalars.prefix(count))).utf8.count : nil
            }
            throw Refused(code: error.code, reason: error.message, offset: offset)
        }
    }
}
