import Foundation
import Retention
import Testing

struct UnitDiagnosisTests {
    /// 2026-11-20T12:00:00Z.
    private static let second: Int64 = 1_795_176_000

    private static func sample(_ counts: [TimeUnit: Int], others: Int = 0) -> TimeSample {
        TimeSample(
            integers: counts.flatMap { unit, count in
                (0..<count).map { TimeFormat(unit).value(ofSecond: second - Int64($0) * 86_400) }
            }, others: others)
    }

    @Test(
        "times in their own unit fit, in any other they do not and are recognised",
        arguments: TimeUnit.integers)
    func everyUnit(unit: TimeUnit) {
        for rule in TimeUnit.integers {
            let diagnosis = UnitDiagnosis(of: Self.sample([unit: 1]), in: rule)
            #expect(diagnosis == (rule == unit ? .fits : .misfits(looksLike: TimeFormat(unit))))
        }
    }

    @Test("half of the values may be implausible, and not one more")
    func threshold() {
        #expect(UnitDiagnosis(of: Self.sample([.seconds: 6, .milliseconds: 6]), in: .seconds) == .fits)
        #expect(
            UnitDiagnosis(of: Self.sample([.seconds: 6, .milliseconds: 7]), in: .seconds)
                == .misfits(looksLike: TimeFormat(.milliseconds)))
        #expect(UnitDiagnosis(of: Self.sample([.seconds: 6], others: 6), in: .seconds) == .fits)
        #expect(
            UnitDiagnosis(of: Self.sample([.seconds: 6], others: 7), in: .seconds) == .misfits(looksLike: nil)
        )
    }

    @Test("no unit is advised that the values would not fit either")
    func noUnit() {
        #expect(
            UnitDiagnosis(of: Self.sample([.seconds: 2, .milliseconds: 4], others: 3), in: .seconds)
                == .misfits(looksLike: nil))
        #expect(
            UnitDiagnosis(of: TimeSample(integers: [0, 1, -1, .max], others: 0), in: .seconds)
                == .misfits(looksLike: nil))
    }

    @Test("the unit of the most values is advised")
    func bestUnit() {
        #expect(
            UnitDiagnosis(of: Self.sample([.milliseconds: 4, .microseconds: 5]), in: .seconds)
                == .misfits(looksLike: TimeFormat(.microseconds)))
    }

    @Test("a unit is advised only if the newest value is then of the last year, or of deadlines, of the next")
    func recent() {
        let now = Date(timeIntervalSince1970: TimeInterval(Self.second))
        for (days, areDeadlines, isAdvised) in [
            (0, false, true), (-365, false, true), (-367, false, false), (1, false, true), (3, false, false),
            (3, true, true), (367, true, false),
        ] as [(Int64, Bool, Bool)] {
            let sample = TimeSample(integers: [(Self.second + days * 86_400) * 1_000])
            let diagnosis = UnitDiagnosis(
                of: sample, in: TimeFormat(.seconds), areDeadlines: areDeadlines, at: now)
            #expect(
                diagnosis == .misfits(looksLike: isAdvised ? TimeFormat(.milliseconds) : nil), "\(days)")
        }
    }

    @Test("an empty sample says nothing", arguments: TimeUnit.integers)
    func empty(unit: TimeUnit) {
        #expect(UnitDiagnosis(of: TimeSample(integers: [], others: 0), in: unit) == .fits)
    }

    @Test("the bounds of what is plausible are plausible", arguments: TimeUnit.integers)
    func bounds(unit: TimeUnit) {
        let range = unit.plausible
        let inside = TimeSample(integers: [range.lowerBound, range.upperBound], others: 0)
        #expect(inside.plausible(in: TimeFormat(unit)) == 2)
        #expect(TimeSample(integers: [range.lowerBound - 1], others: 0).plausible(in: TimeFormat(unit)) == 0)
    }
}
