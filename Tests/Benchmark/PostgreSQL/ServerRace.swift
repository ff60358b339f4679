import Foundation
import TestSupport

/// One of those who take part in a race on a server.
struct ServerEntry {
    /// Different from the race's others.
    let name: String
    let contender: ServerContender
    let job: ServerJob
    /// Whether an app updates the table meanwhile.
    var besideApp = false

    init(_ name: String, _ contender: ServerContender, _ job: ServerJob, besideApp: Bool = false) {
        (self.name, self.contender, self.job, self.besideApp) = (name, contender, job, besideApp)
    }
}

/// Has several do their jobs in turn, on fresh copies of their databases, and checks what they left.
struct ServerRace {
    let race: Race
    let server: MeasuredServer

    init(_ race: Race, withStandby: Bool = false) throws {
        self.race = race
        server = try MeasuredServer(
            in: race.masters.directory, progress: race.masters.progress, withStandby: withStandby,
            isDurable: !race.checksAll)
    }

    /// The samples of each entry, by its name, of the build that is judged.
    func run(
        _ row: String, _ title: String, _ entries: [ServerEntry], roundsAtMost limit: Int = .max
    ) throws -> [String: [Sample]] {
        let entries = entries.filter { race.hasPeers || !$0.contender.isPeer }
        let participants = entries.map { ($0.name, $0.contender.runsPruned) }
        return try race.take(turns: row, title, participants, rounds: min(race.rounds, limit)) {
            index, program, _ in
            try run(entries[index], by: program)
        }
    }

    private func run(_ entry: ServerEntry, by pruned: String) throws -> Sample {
        let (contender, job) = (entry.contender, entry.job)
        let copy = try server.copy(of: job.recipe)
        defer { try? server.removeCopy() }
        let program = try contender.program(pruned, job, on: copy)
        let app = try entry.besideApp ? UpdatingApp(on: copy, rows: job.recipe.rows) : nil
        let lag = try server.standby.map { _ in try LagWatch(server.server) }
        let ended = try program.measured()
        let largestLag = lag?.end()
        let latencies = try app?.end(after: ended)
        try ended.checked()

        let rule = try contender == .pruned ? PrintedReport(json: ended.output).rule() : nil
        try expectDeleted(entry, on: copy, reported: rule?.deleted)
        var sample = Sample(
            usage: ended.usage, report: rule, reclaim: nil, app: nil, logBytes: 0, fileBytes: 0,
            vacuumedBytes: nil)
        sample.server = ServerFigures(
            longestTransactionMs: Self.longest(ended.errors), lagSeconds: largestLag,
            updates: latencies?.milliseconds.count, p999Milliseconds: latencies?.percentile(99.9),
            medianMilliseconds: latencies?.percentile(50), longestMilliseconds: latencies?.percentile(100))
        return sample
    }

    /// What the loop says at its end.
    private static func longest(_ errors: String) -> Double? {
        guard let said = errors.split(separator: "longest ").last, said.contains(" ms") else { return nil }
        return Double(said.split(separator: " ").first ?? "")
    }

    /// Throws unless exactly the expired rows are gone. A row that the app has touched meanwhile may have been moved to
    /// where the run had been before, and be left for the next.
    private func expectDeleted(_ entry: ServerEntry, on copy: ServerCopy, reported: Int?) throws {
        let (job, answer) = (entry.job, try copy.query(entry.job.count))
        let counts = answer.split(separator: "|").compactMap { Int($0) }
        let expired = job.expired
        guard counts.count == 4 else { throw BenchmarkError("\(job.count) gives \(answer)") }
        let (untouched, left, staying, all) = (counts[0], counts[1], counts[2], counts[3])
        let isRight =
            entry.contender.deletes
            ? untouched == 0 && (entry.besideApp || left == 0) : entry.besideApp || left == expired
        guard isRight, staying == job.recipe.rows - expired, all == staying + left,
            reported ?? expired - left == expired - left
        else {
            throw BenchmarkError(
                "\(entry.name) left \(left) of \(expired) expired rows (\(untouched) untouched), \(staying) of "
                    + "\(job.recipe.rows - expired) others, \(all) in all; it says \(reported ?? -1) were deleted"
            )
        }
    }
}
