import Retention
import Testing

struct TimeFormatTests {
    @Test(
        "plausible times run from 2000 to 9999, or to the last nanosecond that 64 bits hold",
        arguments: [
            (.seconds, 946_684_800, 253_402_300_799),
            (.milliseconds, 946_684_800_000, 253_402_300_799_999),
            (.microseconds, 946_684_800_000_000, 253_402_300_799_999_999),
            (.nanoseconds, 946_684_800_000_000_000, .max),
        ] as [(TimeUnit, Int64, Int64)])
    func plausible(unit: TimeUnit, first: Int64, last: Int64) {
        #expect(unit.plausible == first...last)
    }

    @Test("a time of this century in one unit is implausible in every other", arguments: TimeUnit.integers)
    func wrongUnits(unit: TimeUnit) {
        for second: Int64 in [946_684_800, 1_795_176_000, 4_102_444_800] {
            let value = TimeFormat(unit).value(ofSecond: second)
            #expect(TimeUnit.integers.filter { $0.plausible.contains(value) } == [unit])
        }
    }

    @Test(
        "of units of more than a second, a value is over when its last second is",
        arguments: [(.minutes, 60), (.hours, 3_600), (.days, 86_400)] as [(TimeUnit, Int64)])
    func longUnits(unit: TimeUnit, length: Int64) {
        let format = TimeFormat(unit)
        for second: Int64 in [
            1_792_584_000, 1_792_584_000 / length * length, 1_792_584_000 / length * length - 1,
        ] {
            let cutoff = format.value(ofSecond: second)
            #expect(cutoff * length <= second && (cutoff + 1) * length > second)
            #expect(format.date(of: cutoff - 1).timeIntervalSince1970 < Double(second))
            #expect(format.date(of: cutoff).timeIntervalSince1970 >= Double(second))
        }
    }

    @Test(
        "the first value of a second is the least that means it",
        arguments: TimeFormat.all.filter { $0.unit.seconds == 1 })
    func firstOfSecond(format: TimeFormat) {
        let value = format.value(ofSecond: 1_792_584_000)
        #expect(format.date(of: value).timeIntervalSince1970 == 1_792_584_000)
        #expect(format.date(of: value - 1).timeIntervalSince1970 == 1_792_583_999)
    }

    @Test("dates in digits and ids are written as their column has them")
    func written() throws {
        let second: Int64 = 1_792_584_000
        #expect(TimeFormat(.dayDigits).written(at: second) == "20261021")
        let zone = try #require(Zone(identifier: "Pacific/Kiritimati"))
        #expect(TimeFormat(.dayDigits, zone: zone).written(at: second) == "20261022")
        #expect(TimeFormat(.uuid7).written(at: second) == "01a15e55-2200-0000-0000-000000000000")
        #expect(TimeFormat(.julianDays).written(at: second) == "2461335.0")
    }

    @Test("a second that overflows the unit becomes the nearest value there is")
    func overflow() {
        #expect(TimeFormat(.nanoseconds).value(ofSecond: 9_223_372_036) == 9_223_372_036_000_000_000)
        #expect(TimeFormat(.nanoseconds).value(ofSecond: 9_223_372_037) == .max)
        #expect(TimeFormat(.nanoseconds).value(ofSecond: -9_223_372_037) == .min)
        #expect(TimeFormat(.seconds).value(ofSecond: .min) == .min)
    }
}
