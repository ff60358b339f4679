/// A word, a text or a symbol of a definition, as PostgreSQL's lexer divides it.
struct SQLToken: Equatable {
    enum Kind: Equatable {
        /// A key word, or a name without quotation marks, which is in lower case then.
        case word
        /// A name in quotation marks.
        case quotedName
        /// A text in any kind of quotation marks, with its escapes resolved.
        case string
        case number
        /// An operator or a punctuation mark.
        case symbol
    }

    let kind: Kind
    let text: String
    /// In bytes of UTF-8 from the start of the definition.
    let range: Range<Int>

    /// Whether it can name a table or a column.
    var isName: Bool { kind == .word || kind == .quotedName }
    func isWord(_ word: String) -> Bool { kind == .word && text == word }
    func isSymbol(_ symbol: String) -> Bool { kind == .symbol && text == symbol }
}
