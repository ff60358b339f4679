import Foundation
import ReaderStore
import Synchronization

/// Loads feeds over HTTP, and only what has changed where the server can tell.
///
/// - `If-None-Match` and `If-Modified-Since` are sent as the server gave them; its 304 is ``LoadedFeed/notModified``.
/// - Redirects are followed to `http` and `https`, but not from `https` to `http`.
/// - What is not whole, too large, too late, or no feed is a ``FeedError``. Cancellation ends the request at once.
/// - Compressed answers are understood. Cookies and caches are not used; proxies are taken from the environment.
public struct HTTPFeedLoader: FeedLoader {
    private let address: @Sendable (Int64) async throws -> URL
    private let limits: LoadingLimits

    /// `address` says where the feed of a tab is; what it throws is thrown by ``load(tab:since:)``.
    public init(
        address: @escaping @Sendable (Int64) async throws -> URL, limits: LoadingLimits = LoadingLimits()
    ) {
        self.address = address
        self.limits = limits
    }

    /// Loads what the feed of a tab has now. Throws a ``FeedError``, or `CancellationError`.
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

    /// The first answer that is no redirect, and where it came from.
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

/// What loading a feed may cost.
public struct LoadingLimits: Hashable, Sendable {
    /// The largest answer that is read, in bytes, after decompression. A larger one is given up where it gets larger.
    public var size: Int
    /// How long everything may take, from the first connection to the last article, redirects included.
    public var time: Duration
    /// How many redirects are followed.
    public var redirects: Int

    /// See the properties. By default 10 MB, 30 s, and 10 redirects.
    public init(size: Int = 10_000_000, time: Duration = .seconds(30), redirects: Int = 10) {
        self.size = size
        self.time = time
        self.redirects = redirects
    }
}

/// Where a redirect leads, and whether it may.
enum Redirection {
    /// The address that `location`, absolute or relative, means in an answer from `url`.
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

/// Work that keeps its thread, which no thread of Swift's own may: there are as many as cores, for all tasks.
enum Blocking {
    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    /// Calls `body` on a thread of its own. It is told whether the task was cancelled; whatever it then does, this
    /// throws `CancellationError`.
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
