import Foundation

/// What a stream can show beyond plain text.
struct TextStyle: Equatable {
    /// Whether colours are for somebody to see.
    var isColoured: Bool
    /// Whether characters beyond ASCII are understood.
    var isUnicode: Bool

    /// As the environment says. `isTerminal`: whether a person sees the stream at once; a file or a pipe stays plain.
    init(isTerminal: Bool, environment: [String: String]) {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        let isUTF8 = locale.map { $0.uppercased().replacing("-", with: "").contains("UTF8") } ?? false
        let isDumb = environment["TERM"] == "dumb"
        isColoured = isTerminal && !isDumb && (environment["NO_COLOR"] ?? "").isEmpty
        isUnicode = isTerminal && isUTF8
    }

    static func of(_ stream: StandardStream) -> TextStyle {
        TextStyle(isTerminal: stream.isTerminal, environment: ProcessInfo.processInfo.environment)
    }
}
