import Foundation
import Ledger
import Pruning
import Retention
import TestSupport
import Testing

/// The rows deleted on each of the last days.
struct DailyDeletionsTests {
    private func run(_ seconds: TimeInterval, deleted: Int64, dependents: Int64 = 0) -> HistoryEntry {
        var rule = Reports.rule(deleted: deleted)
        rule.dependentsDeleted = dependents
        return .run(Reports.run(rule, after: seconds), by: Reports.service)
    }

    private func deletions(_ entries: [HistoryEntry], _ timeZone: Zone = .gmt) throws -> DailyDeletions {
        let directory = try TemporaryDirectory()
        let ledger = Ledger(stateDirectory: directory.path)
        try ledger.append(entries)
        return try ledger.read(or: DailyDeletions([], until: runStart, in: timeZone)) {
            try $0.dailyDeletions(until: runStart, in: timeZone).all
        }
    }

    private func rows(_ entries: [HistoryEntry], _ timeZone: Zone = .gmt) throws -> [Int64] {
        try deletions(entries, timeZone).days.map(\.rows)
    }

    private static let day = 86_400.0

    @Test("there are two weeks of days, today last, also where nothing was deleted")
    func days() {
        let deletions = DailyDeletions([], until: runStart, in: .gmt)
        #expect(deletions.days.count == 14 && deletions.total == 0)
        #expect(deletions.days.first?.day == "2026-11-07" && deletions.days.last?.day == "2026-11-20")
    }

    @Test("the runs of a day are added up, with the dependents that went; others are not in it")
    func sums() throws {
        let entries = [
            run(-14 * Self.day, deleted: 1_000), run(-13 * Self.day, deleted: 5),
            run(-Self.day, deleted: 1), run(-3_600, deleted: 20, dependents: 300), run(0, deleted: 4_000),
            run(Self.day, deleted: 9),
        ]
        #expect(try rows(entries) == [5] + Array(repeating: 0, count: 11) + [1, 4_320])
        #expect(try deletions(entries).total == 4_326)
    }

    @Test("a day begins at midnight of the time zone")
    func midnight() throws {
        let kiritimati = try #require(Zone(identifier: "Pacific/Kiritimati"))  // there it is 02:00
        let entries = [run(-2 * 3_600 - 1, deleted: 1), run(-2 * 3_600, deleted: 20)]
        #expect(try rows(entries, kiritimati).suffix(2) == [1, 20])
        #expect(try rows(entries).suffix(2) == [0, 21])
    }

    @Test(
        "no day is left out or occurs twice, whichever changes of the clock are among them",
        arguments: [
            ("Europe/Berlin", "2026-10-30T23:30:00Z"), ("Europe/Berlin", "2026-04-01T22:30:00Z"),
            ("America/Santiago", "2026-09-10T04:10:00Z"), ("Africa/Cairo", "2026-04-30T00:00:00Z"),
        ])
    func clockChanges(zone: String, until: String) throws {
        let timeZone = try #require(Zone(identifier: zone))
        let now = try Date(until, strategy: .iso8601)
        let days = DailyDeletions([], until: now, in: timeZone).days.map(\.day)
        var utc = Calendar(identifier: .gregorian)
        utc.timeZone = .gmt
        let last = try Date("\(HeldRule.day(of: now, in: timeZone))T12:00:00Z", strategy: .iso8601)
        let expected = (0..<14).reversed().compactMap { utc.date(byAdding: .day, value: -$0, to: last) }
        #expect(days == expected.map { HeldRule.day(of: $0, in: .gmt) })
    }

    @Test("what leaves the archive was deleted before, and does not count again")
    func archive() throws {
        let rule = RetentionRule(
            name: "archive", store: RetentionPolicy.archiveName, table: "batch",
            expiry: .deadline(column: "until", grace: nil))
        var report = RuleReport(PruneTask(rule, start: runStart, in: .gmt))
        report.deleted = 1_000
        let entry = HistoryEntry.run(Reports.run(report, Reports.rule(deleted: 2)), by: Reports.service)
        #expect(try rows([entry]).last == 2)
    }
}
