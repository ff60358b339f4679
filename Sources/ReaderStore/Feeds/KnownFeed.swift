import Foundation

/// What is known of a tab's feed when loading it begins, against which it is stored in the end.
struct KnownFeed: Equatable {
    let tab: Int64
    let address: String?
    let feed: CachedFeed?
    let validators: FeedValidators?

    init(ofTab tab: Int64, in transaction: borrowing ReaderTransaction) throws(ReaderStoreError) {
        self.tab = tab
        address = try transaction.address(ofTab: tab)
        feed = try transaction.feed(ofTab: tab)
        validators = try transaction.validators(ofTab: tab)
    }

    /// Stores what was loaded, or renews what is cached. Nil when that cannot be known to be right any more, and has to be
    /// loaded again: another has loaded it meanwhile, and perhaps later; what has not changed was deleted; or the tab's
    /// feed is elsewhere now.
    func replace(
        with loaded: LoadedFeed, _ lifetime: TimeInterval, in transaction: borrowing ReaderTransaction
    ) throws(ReaderStoreError) -> CachedFeed? {
        let current = try KnownFeed(ofTab: tab, in: transaction)
        switch loaded {
        case .notModified:
            guard current == self else { return nil }
            return try transaction.renewFeed(ofTab: tab, lifetime: lifetime)
        case .articles(let articles, let validators):
            guard current.address == address, current.feed == nil || current == self else { return nil }
            return try transaction.replaceFeed(
                ofTab: tab, with: articles, validators: validators, lifetime: lifetime)
        }
    }
}
