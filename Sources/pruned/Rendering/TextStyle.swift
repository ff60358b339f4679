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
