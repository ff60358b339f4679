import Pruning

/// Looks at the schema inside of a transaction, in a way that no code of the tables' owners can forge.
///
/// A trigger runs in this session. It may set another search path, and give the name of a prepared statement to one of its
/// own. So whatever ran before, the path is set in the same message, and the question is planned anew, or prepared by the
/// protocol, which SQL cannot do.
extension SchemaWatch {
    private static let name = "pruned schema"

    /// Begins a transaction. `locks` keep triggers and rules off the tables; then nothing else runs before the look.
    ///
    /// With `isPrepared` the next look is faster.
    func begin(
        _ kind: TransactionKind, _ locks: String, isPrepared: Bool, in connection: Connection
    ) throws {
        _ = try look(after: [kind.begin, locks], then: [kind.settings], in: connection)
        if isPrepared { try connection.prepare(Self.name, "SELECT \(Self.question)") }
    }

    /// Throws ``SchemaChanged`` unless the state is the one that was noted. Returns the answer to `further`, one more question.
    @discardableResult
    func check(asking further: String? = nil, in connection: Connection) throws -> QueryResult? {
        let answers = try look(then: [further].compactMap(\.self), in: connection)
        return further == nil ? nil : answers.last
    }

    private func look(
        after first: [String] = [], then last: [String], in connection: Connection
    ) throws -> [QueryResult] {
        let isPrepared = connection.hasPrepared(Self.name)
        let own = [
            "SET LOCAL search_path = pg_catalog, pg_temp",
            "SELECT 'pruned schema', \(isPrepared ? Self.foreignStatements : "0")",
            "SET LOCAL plan_cache_mode = force_generic_plan", isPrepared ? execution : freshQuestion,
        ]
        let statements = (first + own + last).filter { !$0.isEmpty }
        let answers = try connection.results(of: statements.joined(separator: "; ")).filter { $0.columns > 0 }
        guard let place = answers.lastIndex(where: { $0.text(0, 0) == Self.name }), place + 1 < answers.count
        else { throw SchemaChanged() }
        guard answers[place].integer(0, 1) == 0 else {
            try connection.forgetPrepared()
            throw ForeignStatements()
        }
        guard isUnchanged(answers[place + 1].text(0, 0)) else { throw SchemaChanged() }
        return answers
    }

    /// How many statements SQL has prepared in this session.
    private static let foreignStatements = "(SELECT count(*) FROM pg_prepared_statements WHERE from_sql)"

    private var execution: String {
        "EXECUTE \(Self.name.quotedIdentifier) (\(values.map(\.quotedLiteral).joined(separator: ", ")))"
    }

    private var freshQuestion: String {
        let question = values.indices.reversed().reduce(Self.question) {
            $0.replacing("$\($1 + 1)", with: values[$1].quotedLiteral)
        }
        return "SELECT \(question)"
    }
}

/// Code that ran in this session has prepared statements, whose names may be those of its own.
private struct ForeignStatements: PlacelessError {
    func error(of operation: String, place: String) -> StoreError {
        StoreError(
            .unsafe, operation: operation, place: place,
            cause: "code of the database has prepared statements in this session; the batch was rolled back",
            hint: "look for triggers that run PREPARE on the tables of the rule")
    }
}
