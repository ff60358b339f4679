import Foundation
import Retention
import TestSupport
import Testing

struct ConfirmationTests {
    private static let rule = RetentionRule(
        name: "r", store: "s", table: "t", expiry: .age(column: "at", keep: Span(30, .day)))
    private static let noon = Date(timeIntervalSince1970: 1_795_176_000)

    private func seen(
        _ rule: RetentionRule = rule, place: String = "/a", cutoff: Date = noon, timeZone: Zone = .gmt,
        expired: Int64 = 1_000, rows: Int64 = 1_500
    ) -> HeldRule {
        HeldRule(
            rule, place: place, cutoff: cutoff, timeZone: timeZone, expired: expired, rows: rows, change: nil)
    }

    private func hold(_ seen: HeldRule? = nil, begun: Hold.Begun? = nil) -> Hold {
        var hold = Hold(seen: seen ?? self.seen(), cause: "", since: Self.noon)
        (hold.confirmedAt, hold.begun) = (Self.noon, begun)
        return hold
    }

    @Test(
        "it covers a tenth more or less, and not a row beyond",
        arguments: [
            (1_000, 1_000, true), (1_000, 1_100, true), (1_000, 1_101, false), (1_000, 900, true),
            (1_000, 899, false), (1_009, 1_109, true), (1_009, 1_110, false), (9, 9, true), (9, 10, false),
            (9, 8, false), (10, 11, true), (0, 0, true), (0, 1, false), (.max, .max, true), (1, .max, false),
            (.min, .max, true),
        ] as [(Int64, Int64, Bool)])
    func count(was: Int64, now: Int64, isCovered: Bool) {
        let mismatch = hold(seen(expired: was)).mismatch(with: seen(expired: now))
        #expect(mismatch == (isCovered ? nil : .count(was)))
    }

    private static let left = RowsFingerprint(rows: 400, sum: 7)

    @Test(
        "once its run has begun it covers the rows that were left of it, and no other, however many",
        arguments: [
            (left, left, true), (left, .init(rows: 400, sum: 8), false),
            (left, .init(rows: 399, sum: 7), false),
            (left, .init(rows: 401, sum: 7), false), (left, .init(), false), (left, nil, false),
            (nil, left, false), (nil, nil, false), (.init(), .init(), true),
        ] as [(RowsFingerprint?, RowsFingerprint?, Bool)])
    func begun(left: RowsFingerprint?, now: RowsFingerprint?, isCovered: Bool) {
        let hold = hold(begun: .init(at: Self.noon, left: left))
        let mismatch = hold.mismatch(with: seen(expired: now?.rows ?? 400), rest: now)
        #expect(mismatch == (isCovered ? nil : .rest(left?.rows)))
    }

    @Test(
        "what has expired since its run began is judged by the limits, and goes beside what was left",
        arguments: [(400, true), (1_150, true), (1_151, false), (399, true)] as [(Int64, Bool)])
    func expiredSince(now: Int64, isCovered: Bool) {
        let hold = hold(begun: .init(at: Self.noon, left: Self.left))
        let mismatch = hold.mismatch(with: seen(expired: now), rest: Self.left)
        #expect(mismatch == (isCovered ? nil : .rest(400)))
    }

    @Test("a run that has begun makes it good for no other day")
    func begunOnAnotherDay() {
        let hold = hold(begun: .init(at: Self.noon, left: Self.left))
        let tomorrow = seen(cutoff: Self.noon.addingTimeInterval(86_400), expired: 400)
        #expect(hold.mismatch(with: tomorrow, rest: Self.left) == .day("2026-11-20"))
    }

    @Test("the rows of the table beside those that go are not asked about")
    func rows() {
        #expect(hold().mismatch(with: seen(rows: 1_001)) == nil)
    }

    @Test("it is bound to the day of the cutoff, in the policy's time zone")
    func day() throws {
        let midnight = Self.noon.addingTimeInterval(12 * 3_600)
        let hold = hold()
        #expect(hold.mismatch(with: seen(cutoff: midnight.addingTimeInterval(-1))) == nil)
        #expect(hold.mismatch(with: seen(cutoff: midnight)) == .day("2026-11-20"))
        #expect(
            hold.mismatch(with: seen(cutoff: Self.noon.addingTimeInterval(-43_201)))
                == .day("2026-11-20"))
        let tokyo = try #require(Zone(identifier: "Asia/Tokyo"))
        #expect(
            seen(cutoff: midnight.addingTimeInterval(-9 * 3_600), timeZone: tokyo).cutoffDay == "2026-11-21")
        #expect(
            seen(cutoff: midnight.addingTimeInterval(-9 * 3_600 - 1), timeZone: tokyo).cutoffDay
                == "2026-11-20")
    }

    @Test("it is bound to the rule, its limits and its store")
    func rule() {
        var others = [Self.rule, Self.rule, Self.rule, Self.rule]
        others[0].expiry = .age(column: "at", keep: Span(29, .day))
        others[1].table = "u"
        others[2].holdLimits.maxShare = 0.6
        others[3].holdLimits.minRows = 999
        for other in others { #expect(hold().mismatch(with: seen(other)) == .rule) }
        #expect(hold().mismatch(with: seen(place: "/b")) == .rule)
        var often = Self.rule
        often.every = Span(1, .hour)
        #expect(hold().mismatch(with: seen(often)) == nil)
    }
}
