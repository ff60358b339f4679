import Foundation
import FoundationNetworking
import ReaderStore

/// Loads feeds over HTTP, and only what has changed where the server can tell.
///
/// - `If-None-Match` and `If-Modified-Since` are sent as the server gave them; its 304 is ``LoadedFeed/notModified``.
/// - Redirects are followed to `http` and `https`, but not from `https` to `http`.
/// - What is not whole, too large, too late, or no feed is a ``FeedError``. Cancellation ends the request at once.
/// - Compressed answers are understood. Cookies and caches are not used; proxies are taken from the environment.
public final class HTTPFeedLoader: FeedLoader {
    private let address: @Sendable (Int64) async throws -> URL
    private let limits: LoadingLimits
    private let session: URLSession

    /// `address` says where the feed of a tab is; what it throws is thrown by ``load(tab:since:)``.
    public init(
        address: @escaping @Sendable (Int64) async throws -> URL, limits: LoadingLimits = LoadingLimits()
    ) {
        self.address = address
        self.limits = limits
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = URLSession(configuration: configuration)
    }

    deinit { session.invalidateAndCancel() }

    /// Loads what the feed of a tab has now. Throws a ``FeedError``, or `CancellationError`.
    public func load(tab: Int64, since validators: FeedValidators?) async throws -> LoadedFeed {
        let first = try await address(tab)
        let (url, answer) = try await withTimeLimit(first) {
            try await self.answer(from: first, since: validators)
        }
        switch answer.status {
        case 200:
            let articles = try FeedParser.articles(
                in: answer.body, contentType: answer.contentType, from: url)
            return .articles(articles, answer.validators)
        case 304 where validators?.etag != nil || validators?.lastModified != nil:
            return .notModified
        default:
            throw FeedError.status(answer.status, url)
        }
    }

    /// The first answer that is no redirect, and where it came from.
    private func answer(from first: URL, since validators: FeedValidators?) async throws -> (URL, HTTPAnswer)
    {
        guard ArticleLink.isWeb(first) else { throw FeedError.address(first) }
        var url = first
        for _ in 0...limits.redirects {
            let answer = try await answer(to: request(url, since: validators), at: url)
            guard (301...308).contains(answer.status), answer.status != 304, let location = answer.location
            else {
                return (url, answer)
            }
            url = try Redirection.target(of: location, from: url)
        }
        throw FeedError.redirect(first, cause: "it sends on more than \(limits.redirects) times")
    }

    private func answer(to request: URLRequest, at url: URL) async throws -> HTTPAnswer {
        do {
            return try await HTTPExchange.answer(to: request, in: session, limit: limits.size)
        } catch HTTPExchange.Failure.tooLarge {
            throw FeedError.size(url, limit: limits.size)
        } catch HTTPExchange.Failure.connection(let cause, let answered) {
            throw answered ? FeedError.incomplete(url, cause: cause) : FeedError.connection(url, cause: cause)
        }
    }

    private func request(_ url: URL, since validators: FeedValidators?) -> URLRequest {
        var request = URLRequest(url: url)
        // Ours comes first: this one starts again with every redirect, and knows only whole seconds.
        request.timeoutInterval = Double(limits.time.components.seconds) + 2
        request.setValue("ReaderStore", forHTTPHeaderField: "User-Agent")
        request.setValue(
            "application/feed+json, application/atom+xml, application/rss+xml, application/json;q=0.9,"
                + " application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5", forHTTPHeaderField: "Accept")
        request.setValue(Self.sendable(validators?.etag), forHTTPHeaderField: "If-None-Match")
        request.setValue(Self.sendable(validators?.lastModified), forHTTPHeaderField: "If-Modified-Since")
        return request
    }

    /// No server sends a line break in one. What a store holds may have been put there by somebody else.
    private static func sendable(_ validator: String?) -> String? {
        guard let validator, !validator.isEmpty, validator.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else {
            return nil
        }
        return validator
    }

    private func withTimeLimit<Value: Sendable>(
        _ url: URL, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup { group in
            group.addTask { try await work() }
            group.addTask { [limits] in
                try await Task.sleep(for: limits.time)
                throw FeedError.timeout(url, limit: limits.time)
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw CancellationError() }
            return first
        }
    }
}
