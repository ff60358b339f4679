import FeedLoading
import Foundation
import ReaderStore

/// So long that no test fails of it, however busy the machine is.
let patience = LoadingLimits(time: .seconds(3600))

/// What a server's feed loads to.
func load(
    _ url: URL, since validators: FeedValidators? = nil, limits: LoadingLimits = patience
) async throws -> LoadedFeed {
    try await HTTPFeedLoader(address: { _ in url }, limits: limits).load(tab: 1, since: validators)
}

/// Why loading failed; nil if it did not, or not with this kind of error.
func failure(_ url: URL, limits: LoadingLimits = patience) async -> FeedError? {
    do {
        _ = try await load(url, limits: limits)
        return nil
    } catch {
        return error as? FeedError
    }
}
