import Foundation
import Testing

extension ServiceTests {
    @Suite("The journal")
    struct JournalTests {
        let service: FreshService

        init() throws { service = try FreshService() }

        @Test("a run that deleted something is one entry per rule at notice, with its fields")
        func fields() throws {
            try prune()
            let records = try service.journal().filter { $0.kind == JournalRecord.Kind.runFinished }
            #expect(
                records.map { $0["PRUNED_RULE"] } == [
                    "feed-cache", "items", "timeline", "read-records",
                ])
            #expect(Set(records.map { $0["PRUNED_RUN_ID"] }).count == 1)
            for record in records {
                #expect(record.priority == 5)
                #expect(record["SYSLOG_IDENTIFIER"] == "pruned")
                #expect(record["PRUNED_STORE"] == "reader")
                #expect(record["PRUNED_OUTCOME"] == "done")
                #expect(record["PRUNED_RUN_ID"]?.wholeMatch(of: /\d{8}T\d{6}Z-[0-9a-f]{4}/) != nil)
                #expect(record["PRUNED_DURATION_USEC"].flatMap { Int($0) }.map { $0 > 0 } == true)
                let deleted = try #require(record["PRUNED_DELETED"].flatMap { Int($0) })
                #expect(deleted > 0)
                #expect(record.message.contains("deleted \(deleted)"))
            }
        }

        @Test("a run that found nothing leaves no entry")
        func nothingToDo() throws {
            try prune()
            let before = try service.journal().filter(\.isOurs).count
            let lastRuns = {
                try service.container.shell(
                    "sqlite3 -cmd '.timeout 5000' /var/lib/pruned/ledger/state.sqlite 'SELECT began FROM last_run'"
                )
            }
            let earlier = try lastRuns()
            try service.signal("USR1")
            try eventually("run again") {
                try lastRuns() != earlier && service.isIdle()
            }
            #expect(try service.journal().filter(\.isOurs).count == before)
        }

        @Test("journalctl -x explains a run with the run's own values")
        func catalog() throws {
            try prune()
            let run = try #require(service.journal().last { $0.kind == JournalRecord.Kind.runFinished })
            let explained = try service.container.run(
                "journalctl", "--catalog", "--no-pager", "PRUNED_RUN_ID=\(run["PRUNED_RUN_ID"] ?? "")",
                "PRUNED_RULE=\(run["PRUNED_RULE"] ?? "")")
            #expect(explained.contains("Subject: A run deleted expired rows"))
            let values =
                "Run \(run["PRUNED_RUN_ID"] ?? "") (outcome: done) deleted \(run["PRUNED_DELETED"] ?? "") rows"
            #expect(explained.contains(values))
        }

        @Test(
            "a store that gave space back is one entry at notice, with its fields, which journalctl -x explains"
        )
        func reclaimed() throws {
            try prune(records: 100_000)
            let records = try service.journal().filter { $0.kind == JournalRecord.Kind.reclaimed }
            try #require(records.count == 1)
            let record = records[0]
            #expect(record.priority == 5)
            #expect(record["PRUNED_STORE"] == "reader")
            #expect(record["PRUNED_OUTCOME"] == "done")
            #expect(record["PRUNED_DURATION_USEC"].flatMap { Int($0) }.map { $0 > 0 } == true)
            let bytes = try #require(record["PRUNED_RECLAIMED"].flatMap { Int($0) })
            #expect(bytes > 1_000_000 && bytes.isMultiple(of: 4_096))
            #expect(record.message.hasPrefix("reader: gave back \(bytes / 1_000_000)."))
            let explained = try service.container.run(
                "journalctl", "--catalog", "--no-pager", "MESSAGE_ID=\(JournalRecord.Kind.reclaimed)")
            #expect(explained.contains("Subject: Free space was given back to the file system"))
            #expect(explained.contains("\(bytes) bytes (outcome: done)"))
        }

        /// Has the service prune a store of sample rows, by every rule.
        private func prune(records: Int = 1_000) throws {
            try service.container.run(
                "runuser", "-u", "app", "--", "reader", "sample", "--records=\(records)",
                "--state-dir=/var/lib/pruned")
            try service.start()
            try eventually("pruned") {
                try service.journal().contains { $0["PRUNED_RULE"] == "read-records" } && service.isIdle()
            }
        }
    }
}
