import Foundation

/// The address that an article has in a feed.
enum ArticleLink {
    /// The absolute address, or "" if there is none that leads to the web: `javascript:`, `data:`, `file:` and the
    /// like are not what a reader wants to open, and what a hostile feed would like to have opened.
    static func resolved(_ text: String?, against base: URL?) -> String {
        guard let text = text?.trimmingCharacters(in: .whitespacesAndNewlines), !text.isEmpty,
            let url = URL(string: text, relativeTo: base)?.absoluteURL, isWeb(url)
        else { return "" }
        return url.absoluteString
    }

    /// Whether something can be loaded from it: `http` or `https`, with a host.
    static func isWeb(_ url: URL) -> Bool {
        ["http", "https"].contains(url.scheme?.lowercased()) && url.host()?.isEmpty == false
    }
}
