/// The name of a table, as its catalog has it.
///
/// Two names are the same if their bytes are: to a store, unlike to Swift, an accent in one character is another name than a
/// letter and its accent.
package struct TableName: Hashable, Comparable, Sendable {
    /// Nil in a store without schemas, and for the schema whose name is usually left out.
    package let schema: String?
    package let name: String

    package init(_ name: String, in schema: String? = nil) { (self.name, self.schema) = (name, schema) }

    package static func == (a: TableName, b: TableName) -> Bool {
        a.name.utf8.elementsEqual(b.name.utf8)
            && Array((a.schema ?? "").utf8) == Array((b.schema ?? "").utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in name.utf8 { hasher.combine(byte) }
    }

    package static func < (a: TableName, b: TableName) -> Bool {
        (a.schema ?? "", a.name) < (b.schema ?? "", b.name)
    }
}

extension TableName: CustomStringConvertible {
    /// As people and rules write it.
    package var description: String { schema.map { "\($0).\(name)" } ?? name }
}
