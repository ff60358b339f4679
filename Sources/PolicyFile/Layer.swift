/// What one file says in one table; the same table of the next file lies over it.
struct Layer {
    let table: TOMLTable
    /// As errors name it.
    let file: String
    /// As it is called beside the others.
    let name: String

    /// The table of this name below this one; nil where there is none.
    func below(_ key: String) -> Layer? {
        table[key]?.table.map { Layer(table: $0, file: file, name: name) }
    }

    /// What stands at a path of keys below this table.
    func value(at path: ArraySlice<String>) -> TOMLValue? {
        guard let first = path.first else { return nil }
        return path.count == 1 ? table[first] : below(first)?.value(at: path.dropFirst())
    }
}

extension [Layer] {
    /// The layer whose value at this path is in force: the uppermost that has one.
    func origin(of path: [String]) -> Layer? {
        last { $0.value(at: path[...]) != nil }
    }
}
