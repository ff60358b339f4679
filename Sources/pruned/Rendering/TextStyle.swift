import FoundationEssentials

/// What a stream can show beyond plain text.
struct TextStyle: Equatable {
    /// Whether colours are for somebody to see.
    var isColoured: Bool
    /// Whether characters beyond ASCII are understood.
    var isUnicode: Bool
    /// How many columns a line may take: 80, or those of a terminal that is narrower, but never so few that nothing fits.
    var width = 80
    /// Whether a person sees it on a screen, where what is too long for a line is cut off. Whatever else reads on gets all.
    var isScreen: Bool

    /// How many columns a line of a table may take.
    var tableWidth: Int { isScreen ? width : .max }

    /// As `color` and the environment say. `isTerminal`: whether a person sees the stream at once; a file or a pipe stays
    /// plain, unless it is said otherwise.
    init(_ color: ColorChoice = .auto, isTerminal: Bool, environment: [String: String]) {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        let isUTF8 = locale.map { $0.uppercased().replacing("-", with: "").contains("UTF8") } ?? false
        let isDumb = environment["TERM"] == "dumb"
        isColoured =
            switch color {
            case .auto: isTerminal && !isDumb && (environment["NO_COLOR"] ?? "").isEmpty
            case .always: true
            case .never: false
            }
        isUnicode = isTerminal && isUTF8
        isScreen = isTerminal
    }

    static func of(_ stream: StandardStream, _ color: ColorChoice) -> TextStyle {
        var style = TextStyle(
            color, isTerminal: stream.isTerminal, environment: ProcessInfo.processInfo.environment)
        style.width = max(40, min(80, stream.width ?? 80))
        return style
    }
}

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
