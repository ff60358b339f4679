import Foundation
import PolicyFile
import Retention
import TestSupport
import Testing

struct ReadingTests {
    @Test("every key reaches the policy")
    func everyKey() throws {
        let policy = try parse(
            """
            time_zone = "America/New_York"
            [guard]
            max_share = 0.25
            min_rows = 7
            [batch]
            lock_time = "25ms"
            workers = 3
            [store.one]
            path = "/srv/one.sqlite"
            reclaim = false
            [store.two]
            path = "two.sqlite"
            [rule.old]
            store = "one"
            table = "log"
            age_column = "at"
            unit = "ms"
            keep = "1y 6month"
            every = "90s"
            between = "22:00-04:30"
            max_run = "20min"
            kept_by = "pin.log_id"
            keep_last = 50
            source_window = "1y"
            [rule.gone]
            store = "two"
            table = "cache"
            expires_column = "until"
            unit = "ns"
            grace = "1h"
            dependents = ["part", "piece"]
            keep_last = 9223372036854775807
            guard = { min_rows = 0 }
            [rule.gone-at-once]
            store = "two"
            table = "session"
            expires_column = "until"
            [rule.gone-at-once.guard]
            max_share = 1
            """)
        var old = try RetentionRule(
            name: "old", store: "one", table: "log",
            expiry: .age(column: "at", keep: Span(parsing: "1y 6month")), time: TimeFormat(.milliseconds),
            every: Span(90, .second), keptBy: [ColumnReference(table: "pin", column: "log_id")],
            keepLast: 50, sourceWindow: Span(1, .year), holdLimits: HoldLimits(maxShare: 0.25, minRows: 7))
        old.between = try DailyHours(parsing: "22:00-04:30")
        old.maxRun = Span(20, .minute)
        let expected = try RetentionPolicy(
            timeZone: #require(Zone(identifier: "America/New_York")), lockTime: .milliseconds(25), workers: 3,
            stores: [
                StoreDefinition(name: "one", path: "/srv/one.sqlite", reclaim: false),
                StoreDefinition(name: "two", path: "two.sqlite", reclaim: true),
            ],
            rules: [
                old,
                RetentionRule(
                    name: "gone", store: "two", table: "cache",
                    expiry: .deadline(column: "until", grace: Span(1, .hour)), time: TimeFormat(.nanoseconds),
                    dependents: ["part", "piece"], keepLast: .max,
                    holdLimits: HoldLimits(maxShare: 1, minRows: 0)),
                RetentionRule(
                    name: "gone-at-once", store: "two", table: "session",
                    expiry: .deadline(column: "until", grace: nil),
                    holdLimits: HoldLimits(maxShare: 1, minRows: 7)),
            ])
        #expect(policy == expected)
    }

    @Test("what the file leaves out has its documented default")
    func defaults() throws {
        let policy = try parse(file(rule: enough))
        let expected = try RetentionPolicy(
            timeZone: .gmt, lockTime: .milliseconds(10),
            stores: [StoreDefinition(name: "s", path: "s.sqlite", reclaim: true)],
            rules: [
                RetentionRule(
                    name: "r", store: "s", table: "t", expiry: .age(column: "at", keep: Span(30, .day)),
                    time: TimeFormat(.seconds), every: Span(1, .day), dependents: [], keptBy: [],
                    keepLast: nil, sourceWindow: nil,
                    holdLimits: HoldLimits(maxShare: 0.5, minRows: 1_000))
            ])
        #expect(policy == expected)
    }

    @Test(
        "a rule is as quiet as its store, unless it says otherwise", arguments: [true, false],
        [nil, true, false])
    func quiet(ofStore: Bool, ofRule: Bool?) throws {
        let own = ofRule.map { "\nquiet = \($0)" } ?? ""
        let text = """
            [store.s]
            path = "s.sqlite"
            quiet = \(ofStore)
            [rule.r]
            table = "t"
            age_column = "at"
            keep = "30d"\(own)
            """
        let policy = try parse(text)
        #expect(policy.stores[0].isQuiet == ofStore)
        #expect(policy.rules[0].isQuiet == ofRule ?? ofStore)
    }

    @Test("without a time zone in the file, days are the system's")
    func systemTimeZone() throws {
        let tokyo = try #require(Zone(identifier: "Asia/Tokyo"))
        let policy = try Configuration(file(rule: enough), file: "f", systemTimeZone: tokyo).policy
        #expect(policy.timeZone == tokyo)
    }

    @Test(
        "a time zone is known by its IANA name",
        arguments: ["Europe/Berlin", "Europe/Kyiv", "Etc/UTC", "UTC"])
    func timeZones(name: String) throws {
        let policy = try parse("time_zone = \"\(name)\"\n" + file(rule: enough))
        #expect(policy.timeZone == Zone(identifier: name))
    }

    @Test("the longest and the shortest batch hold", arguments: ["1ms": 1, "1s": 1_000, "1s 0ms": 1_000])
    func holds(text: String, milliseconds: Int) throws {
        #expect(
            try parse("batch.lock_time = \"\(text)\"\n" + file(rule: enough)).lockTime
                == .milliseconds(milliseconds))
    }

    @Test("a byte-order mark, Windows line ends and a missing last line end change nothing")
    func lineEnds() throws {
        let text = "# ä\n" + file(rule: enough)
        let expected = try parse(text)
        #expect(try parse("\u{FEFF}" + text) == expected)
        #expect(try parse(text.replacing("\n", with: "\r\n")) == expected)
        #expect(try parse(text.trimmingCharacters(in: .newlines)) == expected)
    }

    @Test("a comment may have any number of dots")
    func dottedComment() throws {
        let comment = "  #" + String(repeating: ".", count: 500) + " \\u0000\n"
        #expect(try parse(comment + file(rule: enough)) == parse(file(rule: enough)))
    }
}
