import Foundation
import ReaderStore
import Testing

@Suite struct TimelineTests {
    let my: StoreAtATime

    init() throws { my = try StoreAtATime() }

    static let json = """
        [{"id": 9007199254740993, "text": "Grüße", "created_at": "Wed Oct 10 20:19:24 +0000 2018", "lang": "de",
          "user": {"id": 9223372036854775807, "name": "Ann", "screen_name": "ann",
                   "profile_image_url_https": "https://example.org/ann.png", "followers_count": 7}}]
        """

    private func tweets(_ json: String) throws -> [Tweet] {
        try TimelineJSON.tweets(in: Data(json.utf8), from: "home.json")
    }

    @Test("the API's keys are read, what else it says is passed over, and ids keep every digit")
    func apiKeys() throws {
        let ann = User(
            id: .max, name: "Ann", screenName: "ann", profileImageURL: "https://example.org/ann.png")
        let tweet = Tweet(
            id: 9_007_199_254_740_993, createdAt: Date(timeIntervalSince1970: 1_539_202_764), text: "Grüße",
            user: ann)
        #expect(try tweets(Self.json) == [tweet])
        try my.view.write { try $0.add(tweet) }
        #expect(try my.view.read { try $0.timeline() } == [tweet])
        _ = try my.view.write { try $0.markRead(9_007_199_254_740_993) }
        #expect(try my.view.read { try $0.isRead("9007199254740993") })
        #expect(try my.view.read { try $0.unreadCount() } == 0)
    }

    @Test(
        "a time is in the API's form or in ISO 8601, in any zone",
        arguments: [
            "Wed Oct 10 20:19:24 +0000 2018", "Wed Oct 10 22:19:24 +0200 2018", "2018-10-10T20:19:24Z",
            "2018-10-10T22:19:24+02:00", "2018-10-10T20:19:24.000Z", "2018-10-10T14:49:24-0530",
        ])
    func times(text: String) throws {
        let json = Self.json.replacing("Wed Oct 10 20:19:24 +0000 2018", with: text)
        #expect(try tweets(json).first?.createdAt == Date(timeIntervalSince1970: 1_539_202_764))
    }

    @Test(
        "what is wrong is named, and where",
        arguments: [
            ("\"text\"", "\"txt\"", "at [0]: there is no \"text\""),
            ("\"screen_name\"", "\"name\"", "at [0].user: there is no \"screen_name\""),
            ("Wed Oct 10", "Wod Oct 10", "at [0].created_at: \"Wod Oct 10"),
            ("Wed Oct 10 20:19:24 +0000 2018", "yesterday", "at [0].created_at: \"yesterday\" is not a time"),
            (
                "9223372036854775807", "9223372036854775808",
                "it is no JSON, or a number in it has too many digits"
            ),
            ("9007199254740993", "\"9\"", "at [0].id: "),
            ("\"Grüße\"", "null", "at [0].text: "),
            ("}}]", "}}, 7]", "at [1]: "),
            ("\"text\":", "\"text\"", "it is no JSON: "),
        ])
    func wrongInput(part: String, wrong: String, cause: String) throws {
        let error = my.failure { _ = try tweets(Self.json.replacing(part, with: wrong)) }
        #expect(error?.kind == .invalid && error?.path == "home.json")
        #expect(error?.cause.hasPrefix(cause) == true, "\(error?.cause ?? "none")")
    }

    @Test("what is no array of objects is an error", arguments: ["", "{}", "[", "7", "\u{FEFF}x", "[[]]"])
    func noTimeline(json: String) {
        #expect(my.failure { _ = try tweets(json) }?.kind == .invalid)
    }

    @Test(
        "a time that is none, or not all of the text, is an error",
        arguments: [
            "Sat Feb 31 20:19:24 +0000 2018", "Wed Oct 10 20:19:24 +0000 18",
            "Wed Oct 10 20:19:24 +0000 2018 x",
            " Wed Oct 10 20:19:24 +0000 2018", "Wed Oct 10 24:19:24 +0000 2018",
            "Wed Okt 10 20:19:24 +0000 2018", "Wed Oct 10 20:19:24 2018", "Wed Oct 10 20:19:24 +0060 2018",
            "2018-02-31T20:19:24Z", "2018-13-10T20:19:24Z", "2018-00-10T20:19:24Z", "2018-10-10T20:60:24Z",
            "2018-10-10T20:19:24", "2018-10-10T20:19:24Zx", "2018-10-10", "1539202764", "",
            "Wed Oct 10 :::::::: +0000 2018", "2018-10-10T::::::::Z", "2018-10-10T20:19:24.Z",
            "2018-10-10T20:19:24.5", "2018-10-10T20:19:24+", "2018-10-10T20:19:24+2:000",
        ])
    func noTimes(text: String) {
        let json = Self.json.replacing("Wed Oct 10 20:19:24 +0000 2018", with: text)
        let error = my.failure { _ = try tweets(json) }
        #expect(error?.cause == "at [0].created_at: \"\(text)\" is not a time")
    }

    @Test("an empty timeline is a timeline")
    func emptyTimeline() throws { #expect(try tweets("[]") == []) }

    @Test("whoever is renamed is so in all tweets, and nobody else is")
    func renamed() throws {
        let renamed = User(id: 1, name: "Anna", screenName: "anna", profileImageURL: "p")
        let bob = User(id: 2, name: "Bob", screenName: "bob", profileImageURL: "p")
        let tweets = [my.tweet(1), my.tweet(2, by: bob), my.tweet(3, by: renamed)]
        try my.view.write { store in for tweet in tweets { try store.add(tweet) } }
        #expect(try my.view.read { try $0.timeline().map(\.user) } == [renamed, bob, renamed])
    }

    @Test("a starred tweet is among the starred until it is unstarred, also when it is updated")
    func stars() throws {
        let tweets = (1...3).map { my.tweet($0) }
        try my.view.write { store in for tweet in tweets { try store.add(tweet) } }
        try my.view.write { store in
            try store.star(3)
            try store.star(1)
            try store.star(1)
        }
        #expect(try my.view.read { try $0.starred().map(\.id) }.sorted() == [1, 3])
        #expect(
            try my.view.read { try ($0.isStarred(1), $0.isStarred(2), $0.isStarred(9)) } == (
                true, false, false
            ))
        try my.view.write { try $0.add(tweets[0], updating: true) }
        #expect(try my.view.read { try $0.isStarred(1) })
        try my.view.write { try $0.unstar(1) }
        #expect(try my.view.read { try $0.starred() } == [tweets[2]])
        #expect(try my.view.read { try $0.timeline().count } == 3)
    }

    @Test("no star is put on a tweet that is not there, or in a transaction that reads")
    func noStar() throws {
        try my.view.write { try $0.add(my.tweet(1)) }
        #expect(my.failure { try my.view.write { try $0.star(2) } }?.kind == .missing)
        #expect(my.failure { try my.view.write { try $0.unstar(2) } }?.kind == .missing)
        #expect(my.failure { try my.view.read { try $0.star(1) } }?.kind == .misuse)
    }

    @Test("an id that is there is updated when told to")
    func updated() throws {
        var tweet = my.tweet(1)
        try my.view.write { try $0.add(tweet) }
        tweet.text = "other"
        let other = tweet
        try my.view.write { try $0.add(other, updating: true) }
        #expect(try my.view.read { try $0.timeline() } == [other])
    }

    @Test("to add an id that is there is an error that names it, and nothing of the import is added")
    func existing() throws {
        let renamed = User(id: 1, name: "Anna", screenName: "anna", profileImageURL: "p")
        let there = my.tweet(2)
        try my.view.write { try $0.add(there) }
        let tweets = [my.tweet(1), my.tweet(2, by: renamed), my.tweet(3)]
        let error = my.failure {
            try my.view.write { store in for tweet in tweets { try store.add(tweet) } }
        }
        #expect(error?.kind == .exists)
        #expect(error?.operation == "add tweet 2 to")
        #expect(try my.view.read { try $0.timeline() } == [there])
    }

    @Test("who catches an error in the transaction finds nothing changed by it")
    func existingCaught() throws {
        let renamed = User(id: 1, name: "Anna", screenName: "anna", profileImageURL: "p")
        let (there, again) = (my.tweet(2), my.tweet(2, by: renamed))
        try my.view.write { store in
            try store.add(there)
            #expect(throws: ReaderStoreError.self) { try store.add(again) }
            for wrong in [
                my.tweet(3, secondsAgo: 1e12, by: renamed), my.tweet(3, secondsAgo: -1e12, by: renamed),
            ] {
                #expect(throws: ReaderStoreError.self) { try store.add(wrong) }
            }
        }
        #expect(try my.view.read { try $0.timeline() } == [there])
    }

    @Test("unread is the timeline without what was read, newest first")
    func unread() throws {
        let tweets = [my.tweet(1, secondsAgo: 10), my.tweet(2, secondsAgo: 30), my.tweet(3, secondsAgo: 20)]
        try my.view.write { store in for tweet in tweets { try store.add(tweet) } }
        let record = ReadRecord(id: "3", createdAt: my.time(-20))
        try my.view.write { try $0.save(record) }
        #expect(try my.view.read { try $0.timeline().map(\.id) } == [1, 3, 2])
        #expect(try my.view.read { try $0.unread().map(\.id) } == [1, 2])
    }

    @Test("a tweet is written as it is read")
    func roundTrip() throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        let tweets = try tweets(Self.json)
        #expect(try self.tweets(String(decoding: encoder.encode(tweets), as: UTF8.self)) == tweets)
    }
}
