/// What is to catch the eye on a screen, and its colour.
enum Emphasis: String {
    case heading = "1"
    /// Something waits for a person.
    case held = "33"
    case wrong = "31"

    /// By the word that a screen has for how something stands; nil where nobody need look.
    init?(of word: String) {
        switch word {
        case "held", "would be held": self = .held
        case "failed", "would fail", "unfit", "refused", "damaged", "WRONG", "MISSING": self = .wrong
        default: return nil
        }
    }
}

extension TextStyle {
    /// The text as it catches the eye, where there are colours. It takes as many columns as before.
    func shown(_ text: String, as emphasis: Emphasis?) -> String {
        guard isColoured, let emphasis, !text.isEmpty else { return text }
        return "\u{1B}[\(emphasis.rawValue)m\(text)\u{1B}[0m"
    }

    /// A cell of a table whose row 0 is the header: words for how something stands are in `column`.
    func shown(_ text: String, row: Int, column: Int, states: Int) -> String {
        shown(text, as: row == 0 ? .heading : column == states ? Emphasis(of: text) : nil)
    }
}
