import Foundation
import ReaderStore
import Testing

@Suite struct ReadRecordTests {
    let my: StoreAtATime

    init() throws { my = try StoreAtATime() }

    private func save(_ id: String, secondsAgo: TimeInterval, updating: Bool = false) throws {
        let record = ReadRecord(id: id, createdAt: my.time(-secondsAgo))
        try my.view.write { try $0.save(record, updating: updating) }
    }

    private var all: [ReadRecord] { get throws { try my.view.read { try $0.allReadRecords() } } }

    @Test("a second save of an id keeps the first, unless told to update", arguments: [false, true])
    func secondSave(updating: Bool) throws {
        try save("a", secondsAgo: 100)
        try save("a", secondsAgo: 50, updating: updating)
        #expect(try all == [ReadRecord(id: "a", createdAt: my.time(updating ? -50 : -100))])
    }

    @Test("a record is loaded on the last of its 30 calendar days, and a second later no more")
    func lastDay() throws {
        let month: TimeInterval = 30 * 86_400
        try save("exact", secondsAgo: month)
        try save("late", secondsAgo: month + 1)
        let ids = try my.view.read { try $0.readRecords(in: .gmt).map(\.id) }
        #expect(ids == ["exact"])
    }

    @Test("calendar days go by the calendar given, over the end of summer time too")
    func calendarDays() throws {
        var berlin = Calendar.gmt
        berlin.timeZone = try #require(TimeZone(identifier: "Europe/Berlin"))
        let noon = DateComponents(year: 2026, month: 11, day: 10, hour: 12)
        my.clock.set(try #require(berlin.date(from: noon)))
        let month: TimeInterval = 30 * 86_400
        try save("exact", secondsAgo: month + 3_600)
        try save("late", secondsAgo: month + 3_601)
        let calendar = berlin
        #expect(try my.view.read { try $0.readRecords(in: calendar).map(\.id) } == ["exact"])
        #expect(try my.view.read { try $0.readRecords(in: .gmt).map(\.id) } == [])
    }

    @Test("the app may keep them for another number of days")
    func otherDays() throws {
        try save("a", secondsAgo: 3 * 86_400)
        #expect(try my.view.read { try $0.readRecords(keptDays: 3, in: .gmt).count } == 1)
        #expect(try my.view.read { try $0.readRecords(keptDays: 2, in: .gmt).count } == 0)
    }

    @Test("all days that there are keep everything, and fewer than one are refused")
    func impossibleDays() throws {
        try save("a", secondsAgo: 700_000_000)
        #expect(try my.view.read { try $0.readRecords(keptDays: .max, in: .gmt).count } == 1)
        for days in [0, -1, .min] {
            let error = my.failure {
                _ = try my.view.write { try $0.readRecords(keptDays: days, deletingExpired: true) }
            }
            #expect(error?.kind == .invalid)
        }
        #expect(try all.count == 1)
    }

    @Test("loading leaves the expired for the service")
    func expiredAreLeft() throws {
        try save("old", secondsAgo: 31 * 86_400)
        #expect(try my.view.write { try $0.readRecords(in: .gmt) } == [])
        #expect(try all.map(\.id) == ["old"])
    }

    @Test("loading deletes the expired when the app asks for it, and nothing else")
    func expiredAreDeleted() throws {
        try save("old", secondsAgo: 31 * 86_400)
        try save("new", secondsAgo: 29 * 86_400)
        #expect(
            try my.view.write { try $0.readRecords(in: .gmt, deletingExpired: true).map(\.id) } == ["new"])
        #expect(try all.map(\.id) == ["new"])
    }

    @Test("an expired record whose tweet is there yet stays, so that the tweet is not unread again")
    func recordStaysWithItsTweet() throws {
        let tweet = my.tweet(7, secondsAgo: 31 * 86_400)
        try my.view.write { try $0.add(tweet) }
        try my.view.write { _ = try $0.markRead(7) }
        try save("07", secondsAgo: 31 * 86_400)
        try save("7x", secondsAgo: 31 * 86_400)
        _ = try my.view.write { try $0.readRecords(in: .gmt, deletingExpired: true) }
        #expect(try all.map(\.id) == ["7"])
        #expect(try my.view.read { try $0.unread() } == [])
    }

    @Test("a context that reads deletes nothing, and says what it is")
    func readingDeletesNothing() throws {
        try save("old", secondsAgo: 31 * 86_400)
        let error = my.failure {
            _ = try my.view.read { try $0.readRecords(in: .gmt, deletingExpired: true) }
        }
        #expect(error?.kind == .misuse)
        #expect(error?.cause == "this transaction only reads")
        #expect(try all.count == 1)
        try save("new", secondsAgo: 1)
    }

    @Test("records come in the order of their ids")
    func orderOfIDs() throws {
        for (age, id) in ["b", "c", "a"].enumerated() { try save(id, secondsAgo: TimeInterval(age)) }
        #expect(try my.view.read { try $0.readRecords().map(\.id) } == ["a", "b", "c"])
        #expect(try all.map(\.id) == ["b", "c", "a"], "newest first")
    }

    @Test("what was saved is read, to the letter")
    func membership() throws {
        try save("a", secondsAgo: 1)
        let ids = ["a", "A", "a ", "", "b", "a\0b"]
        #expect(try my.view.read { store in try ids.filter { try store.isRead($0) } } == ["a"])
    }

    @Test("one record is deleted, and whether it was there is answered")
    func deleteOne() throws {
        for id in ["a", "b"] { try save(id, secondsAgo: 1) }
        let answers = try my.view.write { store in
            try ["a", "a", "b\0c", "B"].map { try store.deleteReadRecord($0) }
        }
        #expect(answers == [true, false, false, false])
        #expect(try all.map(\.id) == ["b"])
    }

    @Test("an id that is empty, or has a NUL, is refused", arguments: ["", "a\0b", "\0"])
    func impossibleID(id: String) throws {
        #expect(my.failure { try save(id, secondsAgo: 1) }?.kind == .invalid)
        #expect(try all == [])
    }

    @Test("what is marked read leaves the unread at once, and its count is answered")
    func markRead() throws {
        let tweets = (1...3).map { my.tweet($0) }
        try my.view.write { store in for tweet in tweets { try store.add(tweet) } }
        #expect(try my.view.write { try $0.markRead(2) } == 2)
        #expect(try my.view.read { try $0.unread().map(\.id) } == [3, 1])
        #expect(try my.view.read { try $0.unreadCount() } == 2)
        #expect(try my.view.write { try $0.markRead(2) } == 2, "again changes nothing")
        #expect(try all == [ReadRecord(id: "2", createdAt: tweets[1].createdAt)])
    }

    @Test("what is marked read is so after a restart")
    func markReadSurvives() throws {
        let tweets = (1...2).map { my.tweet($0) }
        try my.view.write { store in for tweet in tweets { try store.add(tweet) } }
        _ = try my.view.write { try $0.markRead(1) }
        try my.store.close()
        let again = try ReaderStore(at: my.directory.store)
        #expect(try again.viewContext.read { try $0.unread().map(\.id) } == [2])
    }

    @Test("to mark a tweet that is not there is an error that names it, and leaves no record")
    func markUnknown() throws {
        let error = my.failure { _ = try my.view.write { try $0.markRead(-99) } }
        #expect(error?.kind == .missing)
        #expect(error?.operation.contains("-99") == true)
        #expect(try all == [])
    }
}

extension Calendar {
    static let gmt: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()
}
