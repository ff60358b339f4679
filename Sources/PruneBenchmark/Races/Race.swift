import Foundation

/// Has several do their jobs in turn, on fresh copies of their stores, and checks what they left.
struct Race {
    let masters: MasterStores
    /// This program, for the app's part.
    let executable: String
    let rounds: Int
    /// Whether every run's store is checked through and through, instead of the first round's of pruned.
    let checksAll: Bool
    let progress: Progress

    /// The samples of each entry, by its name, in the order of the rounds, which are `times` as many as usual.
    func run(
        _ title: String, _ entries: [Entry], roundsAtMost limit: Int, times: Int
    ) throws -> [String: [Sample]] {
        let rounds = min(rounds, limit) * times
        var samples: [String: [Sample]] = [:]
        for round in 1...rounds {
            for entry in entries {
                let isChecked = checksAll || (round == 1 && entry.contender.isPruned)
                let sample = try run(entry, isChecked: isChecked)
                let seconds = sample.usage.wallSeconds.formatted(digits: 3)
                progress.say("\(title), \(entry.name), \(round) of \(rounds): \(seconds) s")
                samples[entry.name, default: []].append(sample)
            }
        }
        return samples
    }

    private func run(_ entry: Entry, isChecked: Bool) throws -> Sample {
        let copy = try masters.copy(of: entry.job.recipe)
        defer { try? masters.removeCopy() }
        let program = try entry.contender.program(entry.job, on: copy)
        let load = try entry.load == .none ? nil : RunningLoad(entry.load, executable, on: copy)
        let watch = entry.load == .insertingAndReading ? LogWatch(copy) : nil
        let ended = try program.run()
        let longestLog = watch?.end()
        let app = try load?.end(after: ended)

        let report = entry.contender.isPruned ? try? PrunedReport(json: ended.output) : nil
        // Beside a working app pruned may give up, as long as it says why; the finding will say so.
        let hasStopped = entry.load != .none && report?.rule.reason != nil
        if !hasStopped { try ended.checked() }
        if entry.contender.isPruned, report == nil {
            throw WrongResult("the report of \(entry.name) is not one: \(ended.output)")
        }

        if entry.contender.isPlan { try PlanReport(json: ended.output).expect(entry.job.expired) }

        let fileBytes = copy.bytes
        let deleted = report?.rule.deleted ?? (entry.contender.deletes ? entry.job.expired : 0)
        let inspection = Inspection(copy: copy, job: entry.job)
        try inspection.expectDeleted(
            deleted, all: entry.contender.deletes && !hasStopped, inserted: app?.committed)
        if entry.job.archive { try inspection.expectArchived(deleted) }
        if isChecked { try inspection.expectIntegrity() }
        return Sample(
            usage: ended.usage, report: report?.rule, reclaim: report?.reclaim, app: app?.waits,
            longestLogBytes: longestLog,
            fileBytes: fileBytes, vacuumedBytes: entry.job.reclaim ? try inspection.vacuumedBytes() : nil)
    }
}
