import Foundation
import Testing

/// Runs and restores that are killed: every row is in the store or in the archive, and comes back as it was.
@Suite(.serialized) struct ArchiveKillingTests {
    @Test("killed at a random instant of a run, and of the restore after it, 50 times")
    func killedAtRandom() throws {
        let template = try OddStore(rows: 12_000)
        // Beside an app rows are archived before there is a lock, else inside of it.
        let ways = [("walk", false), ("index", false), ("walk", true), ("index", true)]
        var durations = try ways.map { plan, isBesideApp in
            let whole = try template.copied()
            let app = try isBesideApp ? whole.database.openedByApp() : nil
            let start = ContinuousClock.now
            try whole.run(plan: plan).run().checked()
            let duration = ContinuousClock.now - start
            try app?.wait().checked()
            #expect(try whole.expired() == 0)
            return duration
        }
        var (runsCut, restoresCut, rowsInBoth) = (0, 0, 0)
        for round in 0..<50 {
            let store = try template.copied()
            let way = round % ways.count
            let app = try ways[way].1 ? store.database.openedByApp() : nil
            let run = try store.run(plan: ways[way].0).start()
            let status = try run.kill(
                after: durations[way] * (Double.random(in: Double(round)...Double(round + 1)) / 50))
            if status == 0 { durations[way] = durations[way] * 0.95 } else { runsCut += 1 }
            try app?.wait().checked()
            #expect(try store.database.health() == "ok", "round \(round)")

            let archived = try store.archivedRuns()
            if let runID = archived.first {
                #expect(try store.archive.health() == "ok", "round \(round)")
                let deleted = try template.expired() - store.expired()
                let kept = try store.archive.count("SELECT sum(row_count) FROM batch")
                #expect(kept >= deleted, "round \(round)")
                rowsInBoth += kept - deleted
                let first = try store.restore(runID).start()
                if try first.kill(after: durations[way] * Double.random(in: 0...0.7)) != 0 {
                    restoresCut += 1
                }
                try store.restore(runID).run().checked()
                // Where every archived row still stood in the store, there was nothing to put back.
                if deleted > 0 { #expect(try store.archive.count("SELECT count(*) FROM lease") > 0) }
            }
            #expect(try store.differences(from: template) == OddStore.noDifferences, "round \(round)")
            #expect(try store.database.health() == "ok", "round \(round)")
        }
        print(
            "Killed in \(runsCut) runs and \(restoresCut) restores of 50; \(rowsInBoth) rows stood in both places."
        )
        #expect(runsCut >= 10 && restoresCut >= 5)
    }
}

extension RunningProgram {
    /// Kills it after `time`, unless it has ended before; its status.
    fileprivate func kill(after time: Duration) throws -> Int32 {
        let start = ContinuousClock.now
        while isRunning, ContinuousClock.now - start < time { usleep(500) }
        send(SIGKILL)
        let status = try wait().status
        #expect([0, 128 + SIGKILL].contains(status))
        return status
    }
}
