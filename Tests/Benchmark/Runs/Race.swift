import TestSupport

import Foundation

/// One of those who take part in a race.
struct Entry {
    /// Different from the race's others.
    let name: String
    let contender: Contender
    let job: Job
    /// What the app does meanwhile: one program or several.
    let app: [AppCommand.Work]

    init(_ name: String, _ contender: Contender, _ job: Job, beside app: AppCommand.Work...) {
        self.name = name
        self.contender = contender
        self.job = job
        self.app = app
    }
}

/// One run.
struct Sample: Codable {
    let usage: Usage
    /// What pruned says of it; nil for others.
    let report: PrintedReport.Rule?
    /// What pruned says of the space that it gave back; nil for others, and where none was to be.
    let reclaim: PrintedReport.Reclaim?
    /// How long the app waited; nil where there was none.
    let app: AppWaits?
    /// Of the write-ahead log after the run, which the app keeps from being removed: its greatest length so far.
    let logBytes: Int64
    /// The file after the run, and its log if there is one.
    let fileBytes: Int64
    /// The same after a VACUUM of a copy; nil where nobody looked.
    let vacuumedBytes: Int64?
    /// What else was measured on a server.
    var server: ServerFigures?
}

/// What was measured of a server of PostgreSQL or MariaDB during a run; nil where nobody looked.
struct ServerFigures: Codable {
    /// Of a loop of statements.
    let longestTransactionMs: Double?
    /// The largest lag of a replica.
    let lagSeconds: Double?
    /// How many the app has made, and how long they took.
    let updates: Int?
    let p999Milliseconds: Double?
    let medianMilliseconds: Double?
    let longestMilliseconds: Double?
}

/// The runs of one entry by one build of pruned, in the order of the rounds.
struct Series: Codable {
    let row: String
    let title: String
    let entry: String
    /// Nil for those that do not run pruned.
    let program: String?
    var samples: [Sample] = []
}

final class RaceResults {
    fileprivate(set) var series: [Series] = []
}

/// Has several do their jobs in turn, on fresh copies of their stores, and checks what they left.
struct Race {
    /// Builds of pruned, which run in turn, too. The last one is judged.
    let programs: [String]
    let masters: MasterStores
    /// This program, for the app's part.
    let executable: String
    let rounds: Int
    /// Whether every run's store is checked through and through, instead of the first round's of pruned.
    let checksAll: Bool
    /// Whether those that pruned is compared with run at all.
    let hasPeers: Bool
    /// Of every race so far.
    let results = RaceResults()

    /// The samples of each entry, by its name, of the build that is judged. There are `times` as many rounds as usual.
    func run(
        _ row: String, _ title: String, _ entries: [Entry], roundsAtMost limit: Int = .max, times: Int = 1
    ) throws -> [String: [Sample]] {
        let entries = entries.filter { hasPeers || !$0.contender.isPeer }
        let participants = entries.map { ($0.name, $0.contender.runsPruned) }
        return try take(turns: row, title, participants, rounds: min(rounds, limit) * times) {
            index, program, round in
            let isChecked = checksAll || (round == 1 && entries[index].contender == .pruned)
            return try run(entries[index], by: program, isChecked: isChecked)
        }
    }

    /// Has each of `participants` take a turn in each round, by every build of pruned that it runs, and keeps the samples.
    ///
    /// `sample` gets the number of one, the build, and the round.
    func take(
        turns row: String, _ title: String, _ participants: [(name: String, runsPruned: Bool)], rounds: Int,
        sample: (Int, String, Int) throws -> Sample
    ) throws -> [String: [Sample]] {
        var series = participants.flatMap { participant in
            (participant.runsPruned ? programs.map(Optional.some) : [nil]).map {
                Series(row: row, title: title, entry: participant.name, program: $0)
            }
        }
        for round in 1...rounds {
            for (number, participant) in participants.enumerated() {
                // Whoever runs first has another neighbour: they take turns in it.
                let own = series.indices.filter { series[$0].entry == participant.name }
                for index in round.isMultiple(of: 2) ? own.reversed() : own {
                    let program = series[index].program
                    let sample = try sample(number, program ?? "", round)
                    let name = programs.count > 1 ? program.map { "\(participant.name) (\($0))" } : nil
                    let seconds = sample.usage.wallSeconds.formatted(digits: 3)
                    masters.progress.say(
                        "\(title), \(name ?? participant.name), \(round) of \(rounds): \(seconds) s")
                    series[index].samples.append(sample)
                }
            }
        }
        results.series += series
        return Dictionary(series.map { ($0.entry, $0.samples) }, uniquingKeysWith: { $1 })
    }

    private func run(_ entry: Entry, by pruned: String, isChecked: Bool) throws -> Sample {
        let (contender, job) = (entry.contender, entry.job)
        let copy = try masters.copy(of: job.recipe)
        defer { try? masters.removeCopy() }
        let program = try contender.program(pruned, job, on: copy)
        let running = try entry.app.isEmpty ? nil : RunningApp(entry.app, executable, on: copy)
        let ended = try program.measured()
        let logBytes = copy.logBytes
        let app = try running?.end(after: ended)

        let report = contender.reports ? try? PrintedReport(json: ended.output) : nil
        let rule = try report?.rule()
        // Beside a working app pruned may give up if it says why; the finding will say so.
        let gaveUp = running != nil && rule?.reason != nil
        if !gaveUp { try ended.checked() }
        if contender.reports, report == nil {
            throw BenchmarkError("the report of \(entry.name) is not one: \(ended.output)")
        }
        if contender == .plan, rule?.expired != job.expired {
            throw BenchmarkError("the plan says \(rule?.expired ?? 0) of \(job.expired) expired rows")
        }

        if contender == .suggest, !ended.output.contains("age_column = \"\(job.timeColumn)\"") {
            throw BenchmarkError("no rule by \(job.timeColumn) is proposed: \(ended.output)")
        }

        let fileBytes = copy.bytes
        let deleted = rule?.deleted ?? (contender.deletes ? job.expired : 0)
        let check = StoreCheck(copy: copy, job: job)
        try check.expectDeleted(deleted, all: contender.deletes && !gaveUp, inserted: app?.committed)
        if job.archive { try check.expectArchived(deleted) }
        if isChecked { try check.expectIntegrity() }
        return Sample(
            usage: ended.usage, report: rule, reclaim: report?.reclaimed?.first, app: app?.waits,
            logBytes: logBytes, fileBytes: fileBytes,
            vacuumedBytes: job.reclaim ? try check.vacuumedBytes() : nil)
    }
}
