import Retention
import TestSupport
import Testing

/// Times as text.
struct TextTimeTests {
    private func seconds(_ text: String, _ zone: Zone? = nil) -> Double? {
        Array(text.utf8).withUnsafeBytes { TextTime.microseconds($0, in: zone) }.map { Double($0) / 1e6 }
    }

    @Test(
        "a text means its instant; without an offset it is UTC, and a date alone is the end of its day",
        arguments: [
            ("2026-11-20T12:00:00Z", 1_795_176_000), ("2026-11-20 12:00:00", 1_795_176_000),
            ("2026-11-20T12:00", 1_795_176_000), ("2026-11-20 14:00:00+02:00", 1_795_176_000),
            ("2026-11-20T08:30:00-0330", 1_795_176_000), ("2026-11-20T12:00:00.25Z", 1_795_176_000.25),
            ("2026-11-20T12:00:00.1234567", 1_795_176_000.123456), ("2026-11-20", 1_795_219_199.999999),
            ("2024-02-29 00:00:00", 1_709_164_800), ("0001-01-01 00:00", -62_135_596_800),
        ] as [(String, Double)])
    func instants(text: String, second: Double) { #expect(seconds(text) == second) }

    @Test(
        "anything else is no time",
        arguments: [
            "", "2026", "2026-11", "2026-11-31", "2026-02-29", "2026-00-10", "2026-13-01", "0000-01-01",
            "2026-11-20T24:00:00", "2026-11-20 23:60", "2026-11-20 23:59:60", "2026-11-20 12", "12:00:00",
            "2026-11-20T12:00:00.", "2026-11-20T12:00:00 Z", "2026-11-20T12:00:00+2",
            "2026-11-20T12:00:00+24:00",
            "2026-11-20Z", " 2026-11-20", "2026-11-20 ", "20261120", "2026/11/20", "1795176000", "+026-11-20",
            "2026-11-20T12:00:00Zx", "now", "2026-11-20\u{0}", "２026-11-20",
        ])
    func noTimes(text: String) { #expect(seconds(text) == nil) }

    @Test(
        "texts of other units mean their instant, and what is nearly one is none",
        arguments: [
            (.dayDigits, "20261120", 1_795_219_199.999999), (.dayDigits, "20260231", nil),
            (.dayDigits, "2026112", nil), (.dayDigits, "202611200", nil),
            (.rfc2822, "Fri, 20 Nov 2026 12:00:00 GMT", 1_795_176_000),
            (.rfc2822, "20 Nov 2026 13:00 +0100", 1_795_176_000),
            (.rfc2822, "Sun,  1 Nov 2026 07:00:00 EST", 1_793_534_400),
            (.rfc2822, "Fri, 31 Feb 2026 12:00:00 GMT", nil), (.rfc2822, "20 Nov 26 12:00:00 GMT", nil),
            (.rfc2822, "20 Nov 2026 12:00:00", nil), (.rfc2822, "20 Nov 2026 12:00:00 CET", nil),
            (.rfc2822, "Fre, 20 Nov 2026 12:00:00 GMT", nil), (.rfc2822, "20 Nov 2026 12:00:00 +0100 x", nil),
            (.goText, "2026-11-20 13:00:00.25 +0100 CET", 1_795_176_000.25),
            (.goText, "2026-11-20 12:00:00 +0000 UTC m=+0.000012", 1_795_176_000),
            (.goText, "2026-11-20 12:00:00 +0000 +0000", 1_795_176_000),
            (.goText, "2026-11-20 12:00:00 +0000", nil), (.goText, "2026-11-20 12:00:00 +0000 UTC n=1", nil),
            (.goText, "2026-02-30 12:00:00 +0000 UTC", nil),
            (.numberText, "1795176000", 1_795_176_000), (.numberText, "1795176000.5", 1_795_176_000.5),
            (.numberText, "1795176000.", nil), (.numberText, " 1795176000", nil), (.numberText, "1e9", nil),
            (.numberText, "99999999999999", nil),
            (.uuid7, "019aa11c-c600-7abc-8def-0123456789ab", 1_763_639_608.832),
            (.uuid7, "019AA11CC6007ABC8DEF0123456789AB", 1_763_639_608.832),
            (.uuid7, "019aa11c-c600-4abc-8def-0123456789ab", nil),
            (.uuid7, "019aa11c-c600-7abc-cdef-0123456789ab", nil),
            (.uuid7, "019aa11cc600-7abc-8def-0123456789ab", nil),
            (.ulid, "01ARZ3NDEKTSV4RRFFQ69G5FAV", 1_469_922_850.259),
            (.ulid, "01ARZ3NDEKTSV4RRFFQ69G5FA", nil), (.ulid, "01ARZ3NDEKTSV4RRFFQ69G5FAU", nil),
            (.ulid, "81ARZ3NDEKTSV4RRFFQ69G5FAV", nil), (.seconds, "1795176000", nil),
        ] as [(TimeUnit, String, Double?)])
    func units(unit: TimeUnit, text: String, second: Double?) {
        #expect(TextTime.microseconds(text, as: unit, in: nil).map { Double($0) / 1e6 } == second)
    }

    @Test(
        "a local time that comes twice is the later instant, and one that is skipped the latest it can mean")
    func clockChanges() throws {
        let berlin = try #require(Zone(identifier: "Europe/Berlin"))
        // 02:30 on October 25, 2026 came at 00:30 and at 01:30 UTC.
        #expect(seconds("2026-10-25 02:30:00", berlin) == seconds("2026-10-25T01:30:00Z"))
        // 02:30 on March 29, 2026 was skipped: by winter time it is 01:30 UTC.
        #expect(seconds("2026-03-29 02:30:00", berlin) == seconds("2026-03-29T01:30:00Z"))
        #expect(seconds("2026-07-01 12:00:00", berlin) == seconds("2026-07-01T10:00:00Z"))
        // An offset in the text decides, whatever the zone.
        #expect(seconds("2026-07-01 12:00:00Z", berlin) == seconds("2026-07-01T12:00:00Z"))
        #expect(seconds("2026-07-01", berlin) == seconds("2026-07-01T21:59:59.999999Z"))
    }
}
