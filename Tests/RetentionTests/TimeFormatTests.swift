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

    @Test("a second that overflows the unit becomes the nearest value there is")
    func overflow() {
        #expect(TimeFormat(.nanoseconds).value(ofSecond: 9_223_372_036) == 9_223_372_036_000_000_000)
        #expect(TimeFormat(.nanoseconds).value(ofSecond: 9_223_372_037) == .max)
        #expect(TimeFormat(.nanoseconds).value(ofSecond: -9_223_372_037) == .min)
        #expect(TimeFormat(.seconds).value(ofSecond: .min) == .min)
    }
}
