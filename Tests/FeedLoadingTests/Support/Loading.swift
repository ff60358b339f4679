import FeedLoading
import Foundation
import ReaderStore

/// What a server's feed loads to, with little patience.
func load(
    _ url: URL, since validators: FeedValidators? = nil, limits: LoadingLimits = LoadingLimits()
) async throws -> LoadedFeed {
    try await HTTPFeedLoader(address: { _ in url }, limits: limits).load(tab: 1, since: validators)
}

/// Why loading failed; nil if it did not, or not with this kind of error.
func failure(_ url: URL, limits: LoadingLimits = LoadingLimits()) async -> FeedError? {
    do {
        _ = try await load(url, limits: limits)
        return nil
    } catch {
        return error as? FeedError
    }
}
