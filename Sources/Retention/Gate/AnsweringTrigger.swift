extension StoreSchema.Trigger {
    /// What comes before the statements or the sum, in small letters: when it fires.
    private var head: [String] {
        Array(words.map(\.lowercasedASCII).prefix { !["begin", "when"].contains($0) && !$0.hasPrefix("'") })
    }

    /// Whether it fires when this happens to rows of its table.
    func answers(_ change: SchemaUse.Change) -> Bool {
        let head = head
        guard let event = head.firstIndex(of: change.event.rawValue) else { return false }
        let isList = event + 1 < head.count && head[event + 1] == "of"
        let columns = isList ? Self.list(head[(event + 2)...]) : []
        // A column may be called so, too: OF and commas stand before those of the list.
        guard !head[(event + 1)...].dropFirst(2 * columns.count).contains("disabled") else { return false }
        let set = change.columns.map(\.schemaWord.lowercasedASCII)
        return columns.isEmpty || set.isEmpty || !Set(columns).isDisjoint(with: set)
    }

    /// The words between commas at the start: the columns of UPDATE OF.
    private static func list(_ words: ArraySlice<String>) -> [String] {
        var (columns, rest) = ([String](), words)
        repeat {
            guard let column = rest.popFirst() else { break }
            columns.append(column)
        } while rest.popFirst() == ","
        return columns
    }
}
