import Retention

/// A column at whose values ``TableLook`` looks.
struct SketchedColumn {
    let name: String
    let type: ColumnType
    /// The value as SQL: seconds for times, 0 or 1 for booleans, the beginning of a text, and nothing of what else there is.
    let sql: String

    init(_ column: Relation.Column, of relation: Relation) {
        name = column.name
        let name = relation.column(column.name)
        type = Self.type(column)
        sql =
            switch type {
            // Infinity and years that no app means are no times.
            case .instant, .local:
                "CASE WHEN isfinite(\(name)) THEN floor(extract(epoch FROM \(name)))::bigint END"
            case .boolean: "\(name)::int"
            case .number: "\(name)::text"
            case .text: "left(\(column.isEnumeration ? "textin(enum_out(\(name)))" : "\(name)::text"), 40)"
            case .any, .other: "CASE WHEN \(name) IS NOT NULL THEN '' END"
            }
    }

    private static func type(_ column: Relation.Column) -> ColumnType {
        switch column.baseType {
        case "boolean": return .boolean
        case "smallint", "integer", "bigint", "real", "double precision", "numeric": return .number
        case "timestamp with time zone": return .instant
        case "timestamp without time zone", "date": return .local
        case "text", "character varying", "bpchar": return .text
        default:
            return column.isEnumeration ? .text : .other
        }
    }

    func value(of text: String?) -> SketchedValue {
        guard let text else { return .null }
        switch type {
        case .instant, .local, .boolean: return Int64(text).map(SketchedValue.integer) ?? .null
        case .number:
            return Int64(text).map(SketchedValue.integer) ?? Double(text).map(SketchedValue.real) ?? .null
        case .text: return .text(text)
        case .any, .other: return .blob
        }
    }
}
