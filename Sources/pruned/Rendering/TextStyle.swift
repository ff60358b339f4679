import FoundationEssentials

/// What a stream can show besides plain text.
struct TextStyle: Equatable {
    /// Whether to use colours.
    var isColoured: Bool
    /// Whether to use characters beyond ASCII.
    var isUnicode: Bool
    /// The width of a line in columns: 80, or less on a narrower terminal, but at least 40.
    var width = 80
    /// Whether the output is on a screen, where a line that is too long is cut off. In a file or a pipe, nothing is.
    var isScreen: Bool

    /// The width of a table line in columns.
    var tableWidth: Int { isScreen ? width : .max }

    /// The style for `color` and the environment. `isTerminal` says whether the stream is a terminal. A file or a pipe
    /// gets plain text, unless `color` says otherwise.
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
