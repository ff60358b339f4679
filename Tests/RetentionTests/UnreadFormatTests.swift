import Foundation
import Retention
import Testing

struct UnreadFormatTests {
    /// 2026-11-20T12:00:00Z.
    private static let now: Int64 = 1_795_176_000

    /// The start of the days of a table's rows: one a day, the newest of the day before `now`.
    private static let seconds = (1...400).map { now - Int64($0) * 86_400 }

    private static func sample(_ write: (Int64) -> Int64, back: Int64 = 0) -> TimeSample {
        TimeSample(integers: seconds.map { write($0 - back) })
    }

    private static func digits(_ second: Int64) -> Int64 {
        let day = CivilDate(daysSince1970: second / 86_400)
        return day.year * 10_000 + Int64(day.month * 100 + day.day)
    }

    private static let written: [(UnreadFormat, @Sendable (Int64) -> Int64)] = [
        (.tenThousandths, { $0 * 10_000 }),
        (.sinceYear2000, { ($0 - 946_684_800) * 1_000_000 }), (.sinceYear1904, { $0 + 2_082_844_800 }),
        (.secondDigits, { digits($0) * 1_000_000 + 123_059 }),
        (.minuteDigits, { digits($0) * 10_000 + 1_230 }),
        (.spreadsheetDays, { $0 / 86_400 + 25_569 }),
    ]

    private static let read: [(TimeFormat, @Sendable (Int64) -> Int64)] = [
        (TimeFormat(.ticks), { ($0 + 62_135_596_800) * 10_000_000 }),
        (TimeFormat(.fileTime), { ($0 + 11_644_473_600) * 10_000_000 }),
        (TimeFormat(.ticks, since: .unix), { $0 * 10_000_000 }),
        (TimeFormat(.snowflake, since: .discord), { ($0 - 1_420_070_400) * 1_000 << 22 }),
        (TimeFormat(.snowflake, since: .twitter), { ($0 * 1_000 - 1_288_834_974_657) << 22 }),
        (TimeFormat(.dayDigits), digits), (TimeFormat(.minutes), { $0 / 60 }),
        (TimeFormat(.hours), { $0 / 3_600 }), (TimeFormat(.days), { $0 / 86_400 }),
        (TimeFormat(.julianDays), { $0 / 86_400 + 2_440_588 }),
    ]

    @Test("numbers in a unit that a rule can say are taken for no other one", arguments: read)
    func units(format: TimeFormat, write: @Sendable (Int64) -> Int64) {
        let now = Date(timeIntervalSince1970: Double(Self.now))
        for rule in TimeFormat.all {
            let diagnosis = UnitDiagnosis(of: Self.sample(write), in: rule, at: now)
            let isRight = [.misfits(looksLike: format), .isOff(looksLike: format), .isOld(looksLike: format)]
                .contains(diagnosis)
            #expect(rule == format ? diagnosis == .fits : isRight, "\(rule.settings): \(diagnosis)")
        }
        // Of what is years old, nothing is sure.
        let old = UnitDiagnosis(
            of: Self.sample(write, back: 800 * 86_400), in: TimeFormat(.milliseconds), at: now)
        #expect(old == .misfits(looksLike: nil) || old == .fits)
    }

    @Test(
        "numbers in a format that no rule reads are recognized, and no unit is said of them",
        arguments: written)
    func numbers(format: UnreadFormat, write: @Sendable (Int64) -> Int64) {
        let (sample, now) = (Self.sample(write), Date(timeIntervalSince1970: Double(Self.now)))
        #expect(UnreadFormat(of: sample, at: now) == format)
        for rule in TimeFormat.all {
            let diagnosis = UnitDiagnosis(of: sample, in: rule, at: now)
            switch diagnosis {
            case .isUnread(let found): #expect(found == format, "\(rule)")
            // Read so they lie ahead, and none of them goes.
            case .fits: #expect(sample.newest(in: rule).map { $0 > now } == true, "\(rule)")
            case .misfits, .isOff, .isOld: Issue.record("\(rule.settings): \(diagnosis)")
            }
        }
    }

    @Test("of what is years old nothing is sure, and no unit is said", arguments: written)
    func stale(format: UnreadFormat, write: @Sendable (Int64) -> Int64) {
        let sample = Self.sample(write, back: 800 * 86_400)
        let now = Date(timeIntervalSince1970: Double(Self.now))
        #expect(UnreadFormat(of: sample, at: now) == nil)
    }

    @Test(
        "texts in a format that no rule reads are recognized",
        arguments: [
            ("Thu, 19 Nov 2026 11:04:05 GMT", .mailText), ("19 Nov 2026 11:04 +0000", .mailText),
            ("Thu Nov 19 11:04:05 2026", .mailText),
            ("20261119T110405Z", .compactText), ("19.11.2026 11:04", .reorderedText),
            ("11/19/2026", .reorderedText), ("1795000000", .numberText), ("1795000000.5", .numberText),
            ("2026-11-19 is long ago", nil), ("http://x/20261119", nil), ("99.99.2026", nil),
            ("20261399", .numberText),
            ("May be", nil),
        ] as [(String, UnreadFormat?)])
    func texts(text: String, format: UnreadFormat?) {
        let sample = TimeSample(integers: [], others: 9, texts: Array(repeating: text, count: 9))
        #expect(UnreadFormat(of: sample, at: Date(timeIntervalSince1970: Double(Self.now))) == format)
    }

    @Test("ids, counters and prices are no times of any format")
    func otherNumbers() {
        let now = Date(timeIntervalSince1970: Double(Self.now))
        for values in [Array(1...20_600), Array(0...200) + Array(20_400...20_600), [5, 99, 1_299], []]
            as [[Int64]]
        {
            #expect(UnreadFormat(of: TimeSample(integers: values), at: now) == nil)
        }
    }

    @Test("values that are not set do not count")
    func unset() {
        let tenths = Self.seconds.map { SketchedValue.integer($0 * 10_000) }
        let values = tenths + Array(repeating: .null, count: 900) + Array(repeating: .integer(0), count: 900)
        #expect(
            UnreadFormat(of: values, at: Date(timeIntervalSince1970: Double(Self.now))) == .tenThousandths)
    }
}
