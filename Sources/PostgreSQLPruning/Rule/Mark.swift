import Pruning
import Retention
import RuleEngine

extension Mark {
    /// SQL that is true of a row that has all of the values.
    func isSet(in relation: Relation) -> String {
        "("
            + columns.map { "\(relation.column($0.name)) IS NOT DISTINCT FROM \($0.literal)" }.joined(
                separator: " AND ")
            + ")"
    }
}

extension ColumnConstant {
    /// The value, converted by the type of the column when the statement is planned. PostgreSQL has no integer for a boolean,
    /// which a configuration for SQLite may write as 1.
    func literal(of column: Relation.Column) -> String {
        switch self {
        case .integer(let number) where column.baseType == "boolean" && (number == 0 || number == 1):
            number == 1 ? "true" : "false"
        case .integer(let number): number < 0 ? "(\(number))" : "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): text.quotedLiteral
        }
    }

    /// Throws if the value is another one in each run.
    func refuseMoment(of column: Relation.Column) throws(SchemaMismatch) {
        guard case .text(let text) = self, ["date", "time"].contains(where: column.baseType.hasPrefix) else {
            return
        }
        let word = text.lowercased().filter { $0 != " " && $0 != "\t" && $0 != "\n" }
        guard ["now", "today", "tomorrow", "yesterday"].contains(where: word.hasPrefix) else { return }
        throw SchemaMismatch(
            "\(text.inQuotes) is another time in each run, so no row would keep the mark",
            hint: "write a time that stays, or mark another column")
    }
}
