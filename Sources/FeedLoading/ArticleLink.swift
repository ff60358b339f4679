import Foundation

/// The address of an article in a feed.
enum ArticleLink {
    /// The absolute address; "" if it is not a web address. A hostile feed might use `javascript:`, `data:`, `file:`
    /// and the like, and no reader wants to open these.
    static func resolved(_ text: String?, against base: URL?) -> String {
        guard let text = text?.trimmingCharacters(in: .whitespacesAndNewlines), !text.isEmpty,
            let url = URL(string: text, relativeTo: base)?.absoluteURL, isWeb(url)
        else { return "" }
        return url.absoluteString
    }

    /// Whether the address can be loaded: `http` or `https`, with a host.
    static func isWeb(_ url: URL) -> Bool {
        ["http", "https"].contains(url.scheme?.lowercased()) && url.host()?.isEmpty == false
    }
}
