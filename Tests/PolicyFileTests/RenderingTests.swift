import Foundation
import PolicyFile
import Retention
import TestSupport
import Testing

struct RenderingTests {
    @Test("the built-in policy is rendered as a file that reads back as it")
    func builtIn() throws {
        let berlin = try #require(Zone(identifier: "Europe/Berlin"))
        let policy = try RetentionPolicy.builtIn(timeZone: berlin)
        let text = PolicyFile.render(policy, systemTimeZone: berlin)
        #expect(try Configuration(text, file: "f", systemTimeZone: berlin).policy == policy)
    }

    @Test("the built-in policy's file does not depend on the system's time zone")
    func builtInTimeZone() throws {
        let tokyo = try #require(Zone(identifier: "Asia/Tokyo"))
        let here = try PolicyFile.render(.builtIn(timeZone: .gmt), systemTimeZone: .gmt)
        let there = try PolicyFile.render(.builtIn(timeZone: tokyo), systemTimeZone: tokyo)
        #expect(here == there)
    }

    @Test("any policy is rendered as a file that reads back as it, whatever its names and texts")
    func anyPolicy() throws {
        let odd = "a \"b\" \\ \n\t\u{7F}ä\u{202E}💾 #="
        var loud = RetentionRule(
            name: "loud", store: "unused", table: "t", expiry: .deadline(column: "e", grace: nil))
        loud.between = try DailyHours(parsing: "22:00-04:30")
        loud.maxRun = try Span(parsing: "1h 2s")
        let policy = try RetentionPolicy(
            timeZone: #require(Zone(identifier: "America/New_York")), lockTime: .milliseconds(1),
            archiveLimit: ArchiveLimit(ByteCount(7_000), total: ByteCount(9_000_000)),
            stores: [
                StoreDefinition(name: "dotted.name", path: odd, reclaim: false),
                StoreDefinition(name: "unused", path: "/x.sqlite", isQuiet: true),
            ],
            rules: [
                RetentionRule(
                    name: "1.2", store: "dotted.name", table: odd,
                    expiry: .age(column: odd, keep: Span(parsing: "1y 2month 3w 4d 5h 6min 7s 8ms")),
                    time: TimeFormat(.microseconds), every: Span(1, .second), dependents: [odd, "b"],
                    keptBy: [ColumnReference(table: odd, column: "c")], keepLast: .max,
                    sourceWindow: Span(parsing: "1y 1d 8ms"),
                    holdLimits: HoldLimits(maxShare: 0.1 + 0.2, minRows: .max)),
                RetentionRule(
                    name: "tiny", store: "dotted.name", table: "t",
                    expiry: .deadline(column: "e", grace: Span(1, .month)), time: TimeFormat(.nanoseconds),
                    keepLast: 1, holdLimits: HoldLimits(maxShare: 1e-9, minRows: 0),
                    archiveKeep: Span(parsing: "1y 2ms"), isQuiet: true),
                loud,
            ])
        let text = PolicyFile.render(policy, systemTimeZone: .gmt)
        #expect(try parse(text) == policy)
    }

    @Test("a rendered rule stands as a person would write it, in running order")
    func layout() throws {
        let text = try PolicyFile.render(.builtIn(timeZone: .gmt), systemTimeZone: .gmt)
        #expect(
            text.hasSuffix(
                """
                [rule.timeline]
                store      = "reader"
                table      = "tweet"
                age_column = "created_at"
                unit       = "s"
                keep       = "30d"
                every      = "1d"
                protect    = "starred = 1"

                [rule.read-records]
                store        = "reader"
                table        = "read_record"
                age_column   = "created_at"
                unit         = "s"
                keep         = "30d"
                every        = "1d"
                kept_by      = "tweet.id"
                archive      = true
                archive_keep = "30d"

                [rule.users]
                store   = "reader"
                table   = "user"
                every   = "1d"
                kept_by = "tweet.user_id"
                guard   = { max_share = 1.0, min_rows = 1000 }

                """))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 88 })
    }
}
