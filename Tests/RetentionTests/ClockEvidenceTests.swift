import Foundation
import Testing

@testable import Retention

/// When the clock is believed, from what is known beside it.
struct ClockEvidenceTests {
    private static let now = Date(timeIntervalSince1970: 1_795_262_400)
    private static let hour: TimeInterval = 3_600
    private static let day: TimeInterval = 86_400

    /// The clock should say `now`, by a reading an hour ago of a machine that stayed on, and says something else.
    @Test(
        "beside the time that has passed, a clock may be two hours off either way, and no more",
        arguments: [
            (0, true), (hour, true), (2 * hour, true), (2 * hour + 1, false), (10 * 365 * day, false),
            (-hour, true), (-2 * hour, true), (-2 * hour - 1, false), (-day, false),
        ] as [(TimeInterval, Bool)])
    func machineStayedOn(offset: TimeInterval, isBelieved: Bool) {
        let last = ClockEvidence.Reading(date: Self.now.addingTimeInterval(-Self.hour), elapsed: Self.hour)
        let evidence = ClockEvidence(now: Self.now.addingTimeInterval(offset), lastBelieved: last)
        #expect((evidence.doubt == nil) == isBelieved)
    }

    @Test(
        "a machine whose clock nobody vouches for may have been off for a week, and no more",
        arguments: [
            (0, true), (Self.day, true), (7 * day, true), (7 * day + 1, false), (365 * day, false),
            (-2 * hour, true), (-2 * hour - 1, false),
        ] as [(TimeInterval, Bool)])
    func machineWasOff(since: TimeInterval, isBelieved: Bool) {
        let last = ClockEvidence.Reading(date: Self.now.addingTimeInterval(-since), elapsed: nil)
        #expect((ClockEvidence(now: Self.now, lastBelieved: last).doubt == nil) == isBelieved)
    }

    @Test(
        "a clock that a time server keeps right is believed, however long the machine was off",
        arguments: [
            ClockEvidence.Reading(date: now.addingTimeInterval(-365 * day), elapsed: nil),
            ClockEvidence.Reading(date: now.addingTimeInterval(365 * day), elapsed: nil),
            ClockEvidence.Reading(date: now.addingTimeInterval(-day), elapsed: hour),
            ClockEvidence.Reading(date: now.addingTimeInterval(day), elapsed: hour),
        ])
    func synchronised(last: ClockEvidence.Reading) {
        #expect(ClockEvidence(now: Self.now, isSynchronised: true, lastBelieved: last).doubt == nil)
        #expect(ClockEvidence(now: Self.now, isSynchronised: false, lastBelieved: last).doubt != nil)
    }

    @Test(
        "not even a time server moves the clock by more than five years",
        arguments: [nil, hour] as [TimeInterval?], [(0, true), (1, false), (5 * 365 * day, false)])
    func spoofed(elapsed: TimeInterval?, beyond: (TimeInterval, isBelieved: Bool)) {
        let rest = 5 * 365 * Self.day + beyond.0
        let last = ClockEvidence.Reading(
            date: Self.now.addingTimeInterval(-rest - (elapsed ?? 0)), elapsed: elapsed)
        let evidence = ClockEvidence(now: Self.now, isSynchronised: true, lastBelieved: last)
        #expect((evidence.doubt == nil) == beyond.isBelieved)
    }

    @Test(
        "no clock is right that is earlier than the program, whoever vouches for it",
        arguments: [
            ("1970-01-01T00:00:00Z", false), ("2025-12-31T23:59:59Z", false), ("2026-01-01T00:00:00Z", true),
        ])
    func beforeTheProgram(now: String, isBelieved: Bool) throws {
        for isSynchronised in [true, false] {
            let evidence = ClockEvidence(now: try instant(now), isSynchronised: isSynchronised)
            #expect((evidence.doubt == nil) == isBelieved)
        }
    }

    @Test(
        "where nothing else is known, the newest row may be five years old, and no more",
        arguments: [
            (nil, true), (0, true), (5 * 365 * day, true), (5 * 365 * day + 1, false), (-day, true),
            (-100 * 365 * day, true),
        ] as [(TimeInterval?, Bool)])
    func nothingKnown(age: TimeInterval?, isBelieved: Bool) {
        let newest = age.map { Self.now.addingTimeInterval(-$0) }
        #expect((ClockEvidence(now: Self.now, newestRow: newest).doubt == nil) == isBelieved)
        #expect(ClockEvidence(now: Self.now, isSynchronised: true, newestRow: newest).doubt == nil)
    }

    @Test(
        "rows are as new as the tenth of the newest, or as the middle one of a few",
        arguments: [
            ([], nil), ([0], 0), ([0, 9], 9), ([9, 0, 1], 1), ([9, 9, 1, 0], 9), ([9, 9, 1, 1, 0], 1),
            (Array(repeating: 9, count: 9) + Array(repeating: 1, count: 10), 1),
            (Array(repeating: 9, count: 10) + Array(repeating: 1, count: 90), 9),
        ] as [([Int], Int?)])
    func newest(days: [Int], expected: Int?) {
        let dates = days.map { Self.now.addingTimeInterval(TimeInterval($0) * Self.day) }
        let date = expected.map { Self.now.addingTimeInterval(TimeInterval($0) * Self.day) }
        #expect(ClockEvidence.newest(of: dates) == date)
    }

    @Test(
        "clocks that count beyond 31 bits, and into the next century, are clocks",
        arguments: ["2038-01-19T03:14:07Z", "2038-01-19T03:14:08Z", "2100-02-28T23:59:59Z"])
    func farDates(now: String) throws {
        let now = try instant(now)
        let last = ClockEvidence.Reading(date: now.addingTimeInterval(-300), elapsed: 300)
        #expect(ClockEvidence(now: now, lastBelieved: last).doubt == nil)
        #expect(ClockEvidence(now: now.addingTimeInterval(Self.day), lastBelieved: last).doubt != nil)
    }

    @Test("a doubt says what the clock says, and what speaks against it")
    func words() {
        let last = ClockEvidence.Reading(date: Self.now.addingTimeInterval(-Self.day), elapsed: Self.hour)
        let doubt = ClockEvidence(now: Self.now, lastBelieved: last).doubt
        #expect(
            doubt?.cause
                == "the clock jumped ahead to 2026-11-21 12:00 UTC; it should say 2026-11-20 13:00 UTC")
    }
}
