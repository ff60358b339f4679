import Retention
import Testing

struct HoldLimitsTests {
    @Test(
        "more than the share is too much, exactly the share is not, in tables of the smallest size and above",
        arguments: [
            (0.5, 1_000, 500, 1_000, false), (0.5, 1_000, 501, 1_000, true), (0.5, 1_000, 501, 1_001, true),
            (0.5, 1_000, 500, 1_001, false), (0.5, 1_000, 999, 999, false), (0.5, 0, 1, 1, true),
            (0.5, 0, 0, 0, false),
            // As written, not as the nearest binary number.
            (0.29, 1, 29, 100, false), (0.29, 1, 30, 100, true), (0.07, 1, 7, 100, false),
            (0.07, 1, 8, 100, true), (0.1, 1, 3, 30, false), (1e-9, 1, 1, 1_000_000_000, false),
            (1e-9, 1, 2, 1_000_000_000, true), (1e-9, 1, 1, 999_999_999, true),
            // Too small for a decimal number: no row at all.
            (1e-300, 0, 1, .max, true), (1e-300, 0, 0, .max, false), (.leastNonzeroMagnitude, 0, 1, 1, true),
            // No table can lose more than all of its rows.
            (1, 0, 1_000, 1_000, false), (1, 0, .max, .max, false), (0.5, 0, .max, .max, true),
            (0.999999, 0, .max, .max, true), (0.5, .max, .max, .max, true),
        ] as [(Double, Int64, Int64, Int64, Bool)])
    func threshold(share: Double, minRows: Int64, expired: Int64, rows: Int64, isTooMuch: Bool) {
        let limits = HoldLimits(maxShare: share, minRows: minRows)
        #expect(limits.areExceeded(by: expired, of: rows) == isTooMuch)
        if isTooMuch { #expect(limits.mayBeExceeded(by: expired), "the rows of the table must be counted") }
    }

    @Test("rows are counted only where it can matter")
    func counting() {
        #expect(!HoldLimits.standard.mayBeExceeded(by: 500))
        #expect(HoldLimits.standard.mayBeExceeded(by: 501))
        #expect(!HoldLimits(maxShare: 1, minRows: 0).mayBeExceeded(by: .max))
        #expect(!HoldLimits(maxShare: 0.5, minRows: 0).mayBeExceeded(by: 0))
        #expect(!HoldLimits(maxShare: 0.29, minRows: 100).mayBeExceeded(by: 29))
    }

    @Test("rows that say themselves when they expire may all go, where the rule has no guard of its own")
    func caches() {
        let limits = HoldLimits(maxShare: 0.25, minRows: 7)
        #expect(limits.inherited(by: .age(column: "at", keep: Span(1, .day))) == limits)
        let deadline = Expiry.deadline(column: "until", grace: nil)
        #expect(limits.inherited(by: deadline) == HoldLimits(maxShare: 1, minRows: 7))
        let rule = RetentionRule(name: "r", store: "s", table: "t", expiry: deadline)
        #expect(rule.holdLimits == HoldLimits(maxShare: 1, minRows: 1_000))
    }

    @Test(
        "the share is said in percent as it was written",
        arguments: [
            (0.5, "50"), (0.125, "12.5"), (0.29, "29"), (1e-9, "0.0000001"), (1e-12, "0.0000000001"),
            (1.5e-13, "1.5e-11"), (1e-127, "1e-125"), (1e-300, "1e-298"), (.leastNonzeroMagnitude, "5e-322"),
            (0.1 + 0.2, "30.000000000000004"), (0.9999999999999999, "99.99999999999999"), (1, "100"),
        ])
    func percent(share: Double, text: String) {
        #expect(HoldLimits(maxShare: share, minRows: 0).maxPercent == text)
    }
}
