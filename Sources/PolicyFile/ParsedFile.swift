/// One table of a file. The same table of the next file overrides it.
struct ParsedFile: Sendable {
    let table: TOMLTable
    /// The file's name in errors.
    let file: String
    /// The file's short name, which distinguishes it from the others.
    let name: String
    /// Whether the file is a preset, which knows nothing of the store that uses it.
    var isPreset = false

    /// The table `key` in this table; nil if there is none.
    func below(_ key: String) -> ParsedFile? {
        table[key]?.table.map { ParsedFile(table: $0, file: file, name: name, isPreset: isPreset) }
    }

    /// The value at a path of keys below this table.
    func value(at path: ArraySlice<String>) -> TOMLValue? {
        guard let first = path.first else { return nil }
        return path.count == 1 ? table[first] : below(first)?.value(at: path.dropFirst())
    }
}

extension [ParsedFile] {
    /// The layer whose value at this path is in force: the last one that has a value.
    func origin(of path: [String]) -> ParsedFile? {
        last { $0.value(at: path[...]) != nil }
    }
}
