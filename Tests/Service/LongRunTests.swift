import Foundation
import Testing

extension ServiceTests {
    /// What happens in the middle of a run that takes some seconds: three million expired read records.
    @Suite("A long run")
    struct LongRunTests {
        let service: FreshService
        let rows = 3_000_000

        init() throws {
            service = try FreshService()
            let prototype = "/var/tmp/prototype/shared/reader.sqlite"
            try service.container.shell(
                """
                if ! test -e \(prototype).done; then
                    reader sample --records=1 --state-dir=/var/tmp/prototype
                    sqlite3 \(prototype) "
                        DELETE FROM tweet;
                        DELETE FROM read_record;
                        WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
                        INSERT INTO read_record SELECT printf('%08d', i), 1700000000 + i FROM n;
                        PRAGMA wal_checkpoint(TRUNCATE)"
                    touch \(prototype).done
                fi
                install -o pruned -g pruned -m 660 \(prototype) \(FreshService.store)
                """)
            // All rows go, by a rule that never ran.
            try service.configure { $0.replacing("max_share = 0.5", with: "max_share = 1") }
            try service.start()
        }

        @Test("while a run goes on, the status has its rule, its progress and its rate")
        func status() throws {
            try waitForProgress()
        }

        @Test("systemctl stop returns within a second, the store is whole, and the next start finishes")
        func stopsAndGoesOn() throws {
            try waitForProgress()
            let time = try ContinuousClock().measure {
                try service.container.run("systemctl", "stop", "pruned")
            }
            #expect(time < .seconds(1))
            #expect(try service.property("Result") == "success")
            let left = try #require(try Int(service.app("SELECT count(*) FROM read_record")))
            #expect(left > 0 && left < rows)
            #expect(try service.app("PRAGMA integrity_check") == "ok")
            #expect(try service.programJournal().contains { $0["PRUNED_OUTCOME"] == "stopped" })

            try service.start()
            try eventually("the next start deletes the rest", within: 60) {
                try service.journal().contains {
                    $0["PRUNED_RULE"] == "read-records" && $0["PRUNED_DELETED"] == "\(left)"
                }
            }
            #expect(try service.app("SELECT count(*) FROM read_record") == "0")
        }

        @Test("pruned --run-now does not run beside the service: it says who holds the store, and exits 75")
        func oneRunAtATime() throws {
            try waitForProgress()
            let process = try service.property("MainPID")
            // Frozen, the service holds its store for longer than the other's patience.
            try service.signal("STOP")
            let other = try service.container.attempt("pruned", "--run-now")
            try service.signal("CONT")
            #expect(other.status == 75)
            #expect(
                (other.output + other.errors).contains(
                    "another run uses it: process \(process) (pruned.service)"))
        }

        @Test("what the service makes beside the store in a run, the app can use")
        func sharesTheLog() throws {
            try waitForProgress()
            try service.signal("STOP")
            let files = try service.container.shell(
                "stat -c '%a %G' \(FreshService.store)-wal \(FreshService.store)-shm")
            #expect(files == "660 pruned\n660 pruned")
            try service.signal("KILL")
            try eventually("killed") { try service.property("MainPID") == "0" }
            try service.app("INSERT INTO item (id, timestamp) VALUES (1, unixepoch())")
            #expect(try service.app("PRAGMA integrity_check") == "ok")
        }

        private func waitForProgress() throws {
            let progress = /Running read-records: [1-9][\d,]* of 3,000,000 deleted, \d+%, [\d,]+ rows\/s/
            try eventually("progress", within: 30) { try service.status().wholeMatch(of: progress) != nil }
        }
    }
}
