/// What one file says in one table; the same table of the next file lies over it.
struct ParsedFile {
    let table: TOMLTable
    /// As errors name it.
    let file: String
    /// As it is called beside the others.
    let name: String

    /// The table of this name below this one; nil where there is none.
    func below(_ key: String) -> ParsedFile? {
        table[key]?.table.map { ParsedFile(table: $0, file: file, name: name) }
    }

    /// What stands at a path of keys below this table.
    func value(at path: ArraySlice<String>) -> TOMLValue? {
        guard let first = path.first else { return nil }
        return path.count == 1 ? table[first] : below(first)?.value(at: path.dropFirst())
    }
}

extension [ParsedFile] {
    /// The layer whose value at this path is in force: the uppermost that has one.
    func origin(of path: [String]) -> ParsedFile? {
        last { $0.value(at: path[...]) != nil }
    }
}
