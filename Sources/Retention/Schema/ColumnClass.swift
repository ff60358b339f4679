/// What kind of values the type of a column is for, whatever its length and name.
package enum ColumnClass: Codable, Hashable, Sendable, CustomStringConvertible {
    case number, text, boolean, time, bytes
    /// A type that is in none of the classes, with its name; that is empty where a column has no type.
    case other(String)

    package var description: String {
        switch self {
        case .number: "a number"
        case .text: "a text"
        case .boolean: "a boolean"
        case .time: "a time"
        case .bytes: "bytes"
        case .other(let name): name.isEmpty ? "of no declared type" : "of type \(name)"
        }
    }
}
