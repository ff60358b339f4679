import Foundation
import Retention
import Testing

/// Which columns are believed to have times.
struct TimeColumnTests {
    /// 2026-11-23 09:30:00 UTC.
    private static let now = Date(timeIntervalSince1970: 1_795_426_200)

    /// Fifty values, a step apart, the newest first.
    private static func integers(_ newest: Int64, step: Int64 = 86_400) -> [SketchedValue] {
        (0..<50).map { .integer(newest - $0 * step) }
    }

    private static let seconds = integers(1_795_426_000)

    private func judged(
        _ name: String, _ values: [SketchedValue], isKey: Bool = false, refersTo: String? = nil
    ) -> TimeColumn {
        TimeColumn(ColumnSketch(name: name, isKey: isKey, refersTo: refersTo, values: values), at: Self.now)
    }

    private func format(_ name: String, _ values: [SketchedValue]) -> TimeFormat? {
        if case .time(let format, _, _, _) = judged(name, values) { format } else { nil }
    }

    @Test(
        "a column is one of times by its values, whatever its name",
        arguments: ["created_at", "ZDATE", "id_feed", "price", "zuletzt", "ätsch", "", "a\nb"])
    func names(name: String) {
        #expect(format(name, Self.seconds) == TimeFormat())
    }

    @Test(
        "times in a format that is not read are named by it",
        arguments: [
            ((10...59).map { .text("Mon Nov 23 08:\($0):00 2026") }, .mailText),
            ((10...59).map { .text("23.11.2026 08:\($0)") }, .reorderedText),
        ] as [([SketchedValue], UnreadFormat)])
    func unread(values: [SketchedValue], format: UnreadFormat) {
        #expect(judged("created_at", values) == .unread(format))
    }

    @Test(
        "each unit and epoch is told by the values",
        arguments: [
            (integers(1_795_426_000_000, step: 86_400_000), TimeFormat(.milliseconds)),
            (integers(1_795_426_000_000_000, step: 86_400_000_000), TimeFormat(.microseconds)),
            (integers(1_795_426_000_000_000_000, step: 86_400_000_000_000), TimeFormat(.nanoseconds)),
            (integers(1_795_426_000 - 978_307_200), TimeFormat(.seconds, since: .coreData)),
            ((0..<50).map { .real(1_795_426_000 - Double($0) * 3_600) }, TimeFormat(.realSeconds)),
            ((0..<50).map { .real(1_795_426_000.5 - Double($0) * 3_600) }, TimeFormat(.realSeconds)),
            (
                (0..<50).map { .real(1_795_426_000.5 - 978_307_200 - Double($0) * 3_600) },
                TimeFormat(.realSeconds, since: .coreData)
            ),
            (
                integers((1_795_426_000 + 11_644_473_600) * 1_000_000, step: 86_400_000_000),
                TimeFormat(.microseconds, since: .chromium)
            ),
            ((1...28).map { .text("2026-10-\($0 < 10 ? "0" : "")\($0)") }, TimeFormat(.iso8601)),
            ((10...59).map { .text("2026-11-23T08:\($0):00.5+01:00") }, TimeFormat(.iso8601)),
            ((10...59).map { .text("2026-11-23 08:\($0):00.5 +0000 UTC") }, TimeFormat(.goText)),
            ((10...59).map { .text("Mon, 23 Nov 2026 08:\($0):00 GMT") }, TimeFormat(.rfc2822)),
            ((0..<50).map { .integer(20_779 - $0) }, TimeFormat(.days)),
            ((0..<50).map { .real(2_461_367.5 - Double($0)) }, TimeFormat(.julianDays)),
            ((0..<50).map { .text("\(1_795_426_000 - $0)") }, TimeFormat(.numberText)),
            (
                integers((1_795_426_000 + 62_135_596_800) * 10_000_000, step: 864_000_000_000),
                TimeFormat(.ticks)
            ),
        ] as [([SketchedValue], TimeFormat)])
    func formats(values: [SketchedValue], expected: TimeFormat) {
        #expect(format("received", values) == expected)
    }

    @Test(
        "numbers before 2005, in the far future, small ones and other texts are no times",
        arguments: [
            integers(1_000_000_000), integers(2_500_000_000), integers(50, step: 1),
            integers(40_000, step: 1),
            (0..<50).map { .text("\($0) Nov 2026") }, (0..<50).map { .text("2026-02-31 \($0)") },
            (0..<50).map { _ in .blob }, (0..<50).map { .real(Double($0) / 7) },
        ] as [[SketchedValue]])
    func noTimes(values: [SketchedValue]) {
        #expect(judged("created_at", values) == .none)
    }

    @Test("a few values that are none change nothing, more than one in twenty do; unset ones do not count")
    func outliers() {
        let odd: [SketchedValue] = [.integer(7), .text("never")]
        #expect(format("date", Self.seconds + odd) == TimeFormat())
        #expect(judged("date", Self.seconds + odd + [.integer(8)]) == .none)
        let unset = [SketchedValue](repeating: .integer(0), count: 500) + [.null, .text(""), .real(0)]
        #expect(format("date", unset + Self.seconds) == TimeFormat())
    }

    @Test("a key is named and never used, a reference is neither")
    func keys() {
        let micros = Self.integers(1_795_426_000_000_000, step: 1_000_000)
        #expect(judged("id", micros, isKey: true) == .key(TimeFormat(.microseconds)))
        #expect(judged("created_at", Self.seconds, isKey: true) == .key(TimeFormat()))
        #expect(judged("created_at", Self.seconds, refersTo: "day") == .none)
    }

    @Test("too few different values prove nothing")
    func few() {
        let twenty = (0..<200).map { SketchedValue.integer(1_795_426_000 - Int64($0 % 20)) }
        #expect(judged("created_at", twenty) == .none)
        #expect(judged("created_at", []) == .none)
        #expect(judged("created_at", [.null, .null]) == .none)
    }

    @Test(
        "times of which none is of the last year are stale; where some lie ahead, rows end at theirs"
    )
    func recency() {
        let old = Self.integers(1_795_426_000 - 400 * 86_400)
        #expect(
            judged("created_at", old)
                == .stale(TimeFormat(), newest: Date(timeIntervalSince1970: 1_795_426_000 - 400 * 86_400)))
        let ahead = Self.integers(1_795_426_000 + 60 * 86_400, step: 3_600)
        guard case .time(_, true, _, _) = judged("created_at", ahead) else {
            Issue.record("none ahead")
            return
        }
        let far = Self.integers(1_795_426_000 + 11 * 366 * 86_400, step: 3_600)
        #expect(judged("created_at", far) == .none)
    }
}
