import Foundation

/// Where a redirect leads, and whether it may.
enum Redirection {
    /// The address that `location`, absolute or relative, means in an answer from `url`.
    static func target(of location: String, from url: URL) throws(FeedError) -> URL {
        guard let target = URL(string: location, relativeTo: url)?.absoluteURL, ArticleLink.isWeb(target)
        else {
            throw .redirect(url, cause: "it sends on to what is no address in the web")
        }
        guard url.scheme?.lowercased() != "https" || target.scheme?.lowercased() == "https" else {
            throw .redirect(url, cause: "it sends on to http, where others can read and change the feed")
        }
        return target
    }
}
