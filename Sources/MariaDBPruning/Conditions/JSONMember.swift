import Conditions
import TerminalText

/// The member of a JSON object as SQL.
struct JSONMember {
    private let json: String
    private let path: String

    init(_ column: String, _ key: String) {
        (json, path) = ("CONVERT(\(column) USING utf8mb4)", "$.\"\(key)\"".quoted("'"))
    }

    /// What is no JSON must not be asked for a member: that warns.
    var isValid: String { "JSON_VALID(\(json))" }
    var kind: String { "JSON_TYPE(JSON_EXTRACT(\(json), \(path)))" }

    /// NULL for a value of another kind.
    func value(as type: TypeClass) -> String {
        let value = "JSON_VALUE(\(json), \(path))"
        let found =
            switch type {
            case .boolean: "WHEN 'BOOLEAN' THEN \(value) = '1'"
            // The server takes 1e2 for an integer, too.
            case .integer:
                "WHEN 'INTEGER' THEN CASE WHEN \(value) REGEXP '^-?[0-9]{1,18}$' "
                    + "THEN CAST(\(value) AS SIGNED) END"
            default: "WHEN 'STRING' THEN \(value) COLLATE \(TextCollation.codePoints)"
            }
        return "(CASE WHEN \(isValid) THEN CASE \(kind) \(found) END END)"
    }
}
