/// A statement as SQLite reads it.
///
/// To Swift, an accent in one character is the same as a letter and its accent. To SQLite these are two names, or two texts: a
/// statement that is known by one must not be run for the other.
struct StatementText: Hashable {
    let sql: String

    static func == (a: StatementText, b: StatementText) -> Bool {
        var (first, second) = (a.sql, b.sql)
        return first.withUTF8 { bytes in second.withUTF8 { bytes.elementsEqual($0) } }
    }

    func hash(into hasher: inout Hasher) {
        var text = sql
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
