import Retention
import Testing

struct SpanParsingTests {
    @Test(
        "a span is written as whole numbers with units, each unit once",
        arguments: [
            ("30d", "30d"), ("1d 12h", "1d 12h"), ("12h 1d", "1d 12h"), ("1d12h", "1d 12h"),
            (" 5min ", "5min"),
            ("6month", "6month"), ("1y 2month 3w 4d 5h 6min 7s 8ms", "1y 2month 3w 4d 5h 6min 7s 8ms"),
            ("007s", "7s"), ("0d 12h", "12h"), ("1000y", "1000y"), ("1ms", "1ms"),
        ])
    func reads(text: String, written: String) throws {
        let span = try Span(parsing: text)
        #expect(span.description == written)
        #expect(try Span(parsing: span.description) == span)
    }

    @Test(
        "what is not a span says why",
        arguments: [
            ("", .empty), ("  \t", .empty), ("0d", .zero), ("0d 0h", .zero), ("-1d", .negative),
            ("-0d", .negative),
            ("1d -2h", .negative), ("30", .noUnit("30")), ("30 d", .noUnit("30")), ("1d 12", .noUnit("12")),
            ("30m", .unknownUnit("m")), ("30D", .unknownUnit("D")), ("6months", .unknownUnit("months")),
            ("1µs", .unknownUnit("µs")), ("1d 2d", .repeatedUnit(.day)), ("d", .notANumber("d")),
            ("1.5d", .notANumber(".5d")), ("+1d", .notANumber("+1d")), ("1d,2h", .notANumber(",2h")),
            ("٣d", .notANumber("٣d")), ("1001y", .tooLong), ("1000y 1ms", .tooLong), ("366001d", .tooLong),
            ("9223372036854775807y", .tooLong), ("9223372036854775807ms", .tooLong),
            ("99999999999999999999d", .tooLong),
        ] as [(String, SpanError)])
    func refuses(text: String, error: SpanError) {
        #expect(throws: error) { try Span(parsing: text) }
    }

    @Test("a number without a unit is shown with one")
    func hintsAtTheUnit() {
        #expect(SpanError.noUnit("30").hint.contains("\"30d\""))
        #expect(SpanError.unknownUnit("m").hint.contains("\"min\""))
        #expect(SpanError.unknownUnit("m").hint.contains("\"month\""))
    }

    @Test("spans compare by their longest possible length")
    func approximates() throws {
        #expect(try Span(parsing: "1min 30s 500ms").approximateSeconds == 90.5)
        #expect(Span(1, .month).approximateSeconds == 31 * 86_400)
    }
}
