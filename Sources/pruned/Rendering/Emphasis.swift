/// Text to emphasise on a screen, and its colour.
enum Emphasis: String {
    case heading = "1"
    /// Something waits for a person.
    case held = "33"
    case wrong = "31"

    /// The emphasis for the word of a state; nil when it needs no attention.
    init?(of word: String) {
        switch word {
        case "held", "would be held": self = .held
        case "failed", "would fail", "unfit", "refused", "damaged", "WRONG", "MISSING": self = .wrong
        default: return nil
        }
    }
}

extension TextStyle {
    /// The text with its emphasis, if colours are shown. The escape codes take no columns.
    func shown(_ text: String, as emphasis: Emphasis?) -> String {
        guard isColoured, let emphasis, !text.isEmpty else { return text }
        return "\u{1B}[\(emphasis.rawValue)m\(text)\u{1B}[0m"
    }

    /// A table cell. Row 0 is the header, and the column `states` has the words of states.
    func shown(_ text: String, row: Int, column: Int, states: Int) -> String {
        shown(text, as: row == 0 ? .heading : column == states ? Emphasis(of: text) : nil)
    }
}
