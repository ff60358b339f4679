import Foundation
import Retention
import Testing

struct ExpiryWindowTests {
    /// 2026-10-21 12:00:00 UTC.
    static let cutoff: Int64 = 1_792_584_000

    @Test("in every unit, the cutoff is the first value of its second", arguments: TimeUnit.integers)
    func units(unit: TimeUnit) {
        let window = ExpiryWindow(cutoff: Date(timeIntervalSince1970: Double(Self.cutoff)), TimeFormat(unit))
        #expect(window.cutoff == Self.cutoff * unit.perSecond)
        #expect(window.plausible == unit.plausible)
    }

    @Test("a cutoff before the year 2000 expires nothing", arguments: TimeUnit.integers)
    func earlyCutoff(unit: TimeUnit) {
        let window = ExpiryWindow(cutoff: Date(timeIntervalSince1970: -29_000_000_000), TimeFormat(unit))
        #expect(window.cutoff <= window.plausible.lowerBound)
    }

    @Test("a nanosecond cutoff beyond what 64 bits hold keeps the last value")
    func overflowingCutoff() {
        let window = ExpiryWindow(
            cutoff: Date(timeIntervalSince1970: 253_402_300_799), TimeFormat(.nanoseconds))
        #expect(window.cutoff == .max)
    }

    @Test("an age rule's cutoff lies keep before the run, rounded down to the second")
    func ageCutoff() throws {
        let now = try instant("2026-11-20T12:00:00Z").addingTimeInterval(0.999)
        let age = Expiry.age(column: "created_at", keep: Span(30, .day))
        #expect(try age.cutoff(at: now, in: .gmt) == instant("2026-10-21T12:00:00Z"))
    }

    @Test("an expiry rule's cutoff is the run's start, less its grace")
    func deadlineCutoff() throws {
        let now = try instant("2026-11-20T12:00:00Z")
        #expect(Expiry.deadline(column: "expires_at", grace: nil).cutoff(at: now, in: .gmt) == now)
        let patient = Expiry.deadline(column: "expires_at", grace: Span(1, .hour))
        #expect(try patient.cutoff(at: now, in: .gmt) == instant("2026-11-20T11:00:00Z"))
    }
}
