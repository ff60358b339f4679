import Foundation
import ReaderStore
import Synchronization

/// Loads feeds over HTTP. If the server supports it, only changed feeds are transferred.
///
/// - It sends `If-None-Match` and `If-Modified-Since` with the server's values. A 304 becomes
///   ``LoadedFeed/notModified``.
/// - It follows redirects to `http` and `https`, but not from `https` to `http`.
/// - An answer that is incomplete, too large, too late or not a feed is a ``FeedError``. Cancellation ends the request
///   at once.
/// - It supports compressed answers. It uses no cookies and no caches. Proxies are taken from the environment.
public struct HTTPFeedLoader: FeedLoader {
    private let address: @Sendable (Int64) async throws -> URL
    private let limits: LoadingLimits

    /// `address` returns the address of a tab's feed. ``load(tab:since:)`` passes its errors on.
    public init(
        address: @escaping @Sendable (Int64) async throws -> URL, limits: LoadingLimits = LoadingLimits()
    ) {
        self.address = address
        self.limits = limits
    }

    /// Loads the current feed of a tab. Throws a ``FeedError`` or `CancellationError`.
    public func load(tab: Int64, since validators: FeedValidators?) async throws -> LoadedFeed {
        let conditions = HTTPRequest.conditions(validators)
        let address = try await address(tab)
        let deadline = ContinuousClock.now + limits.time
        let (url, answer) = try await answer(from: address, conditions: conditions, until: deadline)
        switch answer.status {
        case 200:
            let articles = try await Blocking.run { isCancelled in
                try FeedParser.articles(in: answer.body, contentType: answer.contentType, from: url) {
                    isCancelled() || ContinuousClock.now > deadline
                }
            }
            return .articles(articles, answer.validators)
        case 304 where !conditions.isEmpty:
            return .notModified
        default:
            throw FeedError.status(answer.status, url)
        }
    }

    /// The first answer that is not a redirect, and its address.
    private func answer(
        from first: URL, conditions: [String], until deadline: ContinuousClock.Instant
    ) async throws -> (URL, HTTPAnswer) {
        guard ArticleLink.isWeb(first) else { throw FeedError.address(first) }
        var url = first
        for _ in 0...max(0, limits.redirects) {
            let request = HTTPRequest(
                url: url, conditions: conditions, size: limits.size, time: deadline - ContinuousClock.now)
            let answer = try await answer(to: request)
            guard [301, 302, 303, 307, 308].contains(answer.status), let location = answer.location else {
                return (url, answer)
            }
            url = try Redirection.target(of: location, from: url)
        }
        throw FeedError.redirect(first, cause: "it redirects more than \(limits.redirects) times")
    }

    private func answer(to request: HTTPRequest) async throws -> HTTPAnswer {
        do {
            return try await HTTPExchange.answer(to: request)
        } catch let failure as HTTPExchange.Failure {
            throw switch failure {
            case .tooLarge: FeedError.size(request.url, limit: limits.size)
            case .tooLate: FeedError.timeout(request.url, limit: limits.time)
            case .incomplete(let cause): FeedError.incomplete(request.url, cause: cause)
            case .connection(let cause): FeedError.connection(request.url, cause: cause)
            }
        }
    }
}

/// Limits for loading a feed.
public struct LoadingLimits: Hashable, Sendable {
    /// The largest answer in bytes, after decompression. Loading ends as soon as it is exceeded.
    public var size: Int
    /// The time limit for everything, from the first connection to the last article, including redirects.
    public var time: Duration
    /// The greatest number of redirects to follow.
    public var redirects: Int

    /// The defaults are 10 MB, 30 s, and 10 redirects.
    public init(size: Int = 10_000_000, time: Duration = .seconds(30), redirects: Int = 10) {
        self.size = size
        self.time = time
        self.redirects = redirects
    }
}

/// Resolves and checks the target of a redirect.
enum Redirection {
    /// The address that `location`, absolute or relative, refers to in an answer from `url`.
    static func target(of location: String, from url: URL) throws(FeedError) -> URL {
        guard let target = URL(string: location, relativeTo: url)?.absoluteURL, ArticleLink.isWeb(target)
        else {
            throw .redirect(url, cause: "it redirects to something that is not a web address")
        }
        guard url.scheme?.lowercased() != "https" || target.scheme?.lowercased() == "https" else {
            throw .redirect(url, cause: "it redirects to http, where others can read and change the feed")
        }
        return target
    }
}

/// Blocking work. It must not run on a thread of Swift's pool, which has only as many threads as there are cores.
enum Blocking {
    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    /// Calls `body` on a new thread. `isCancelled` tells it whether the task was cancelled. In that case this throws
    /// `CancellationError`, whatever `body` does.
    static func run<Result: Sendable>(
        _ body: @escaping @Sendable (_ isCancelled: @escaping () -> Bool) throws -> Result
    ) async throws -> Result {
        let flag = Flag()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(
                        returning: Swift.Result { try body { flag.isSet.load(ordering: .acquiring) } })
                }
            }
        } onCancel: {
            flag.isSet.store(true, ordering: .releasing)
        }
        try Task.checkCancellation()
        return try result.get()
    }
}
