/// A table to which columns of others may refer, though no foreign key says so.
struct ReferenceTarget {
    let name: String
    let role: TableRole
    /// The key if it is one column.
    let key: ColumnSketch?
    /// What a column that refers to the table would be called.
    private let names: Set<String>
    /// The table's own name, also for one of its rows: a column that is called so may have something else of a row than
    /// its key.
    private let nouns: Set<String>

    init(_ table: TableSketch) {
        name = table.name
        role = TableRole(table.name)
        let keys = table.columns.filter(\.isKey)
        key = keys.count == 1 ? keys[0] : nil
        let noun = NameWords(table.name).words.last ?? ""
        let whole = table.name.lowercased().replacing("_", with: "")
        var singular: Set<String> = []
        for name in [whole, noun] where !name.isEmpty {
            singular.insert(name)
            if name.hasSuffix("ies") { singular.insert(String(name.dropLast(3)) + "y") }
            if name.hasSuffix("s") { singular.insert(String(name.dropLast())) }
        }
        var names: Set<String> = []
        for name in singular {
            names.insert("id" + name)
            for end in ["id", "guid", "key", "fk"] { names.insert(name + end) }
        }
        self.names = names
        nouns = singular
    }

    /// Whether a column's name says that it refers to this table, and no foreign key says where to.
    func seemsMeant(by column: ColumnSketch) -> Bool {
        guard column.refersTo == nil else { return false }
        if names.contains(column.plainName) { return true }
        if nouns.contains(column.plainName), column.hasValues(like: key) { return true }
        // What is called as the key is, if that name says more than "id".
        return key?.plainName == column.plainName && !Self.usualKeys.contains(column.plainName)
    }

    /// Whether a column of this table seems to refer to another row, and is not only the key.
    func isOther(than column: ColumnSketch) -> Bool {
        let plain = column.plainName
        guard !names.contains(plain), !column.isKey || !Self.usualKeys.contains(plain) else { return false }
        return Self.references.contains(where: plain.hasSuffix)
    }

    private static let usualKeys: Set = [
        "id", "rowid", "key", "name", "pk", "zpk", "oid", "index", "idx", "no", "seq",
    ]
    private static let references = [
        "id", "ids", "fk", "ref", "url", "uri", "guid", "uuid", "hash", "key", "link", "item", "entry",
        "article", "post",
        "message", "story", "news", "page", "place",
    ]
}

extension ColumnSketch {
    fileprivate var plainName: String { name.lowercased().replacing("_", with: "") }
}
