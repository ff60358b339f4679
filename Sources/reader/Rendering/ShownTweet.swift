import Foundation
import ReaderStore

/// A tweet as the app shows it: with its star.
struct ShownTweet: Encodable {
    let tweet: Tweet
    let isStarred: Bool

    private enum CodingKeys: String, CodingKey { case starred }

    /// `choose` reads tweets of the store, in the same transaction as their stars.
    static func all(
        in store: ReaderStore, _ choose: (borrowing ReaderTransaction) throws -> [Tweet]
    ) throws -> [ShownTweet] {
        try store.viewContext.read { store in try Self.stars(on: choose(store), in: store) }
    }

    /// `tweets` with their stars.
    static func stars(
        on tweets: [Tweet], in store: borrowing ReaderTransaction
    ) throws -> [ShownTweet] {
        let starred = Set(try store.starred().map(\.id))
        return tweets.map { ShownTweet(tweet: $0, isStarred: starred.contains($0.id)) }
    }

    /// The keys of the API, and `starred`.
    func encode(to encoder: any Encoder) throws {
        try tweet.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(isStarred, forKey: .starred)
    }
}
