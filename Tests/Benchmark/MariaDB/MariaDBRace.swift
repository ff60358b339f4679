import Foundation
import TestSupport

/// One of those who take part in a race on MariaDB.
struct MariaDBEntry {
    /// Different from the race's others.
    let name: String
    let contender: MariaDBContender
    /// Whether an app updates the table meanwhile.
    var besideApp = false

    init(_ name: String, _ contender: MariaDBContender, besideApp: Bool = false) {
        (self.name, self.contender, self.besideApp) = (name, contender, besideApp)
    }
}

/// Has several do a job in turn, on fresh copies of its database, and checks what they left.
struct MariaDBRace {
    let race: Race
    let job: MariaDBJob
    private let server: MeasuredMariaDB

    init(_ race: Race, _ job: MariaDBJob) throws {
        (self.race, self.job) = (race, job)
        server = try MeasuredMariaDB(
            in: race.masters.directory, progress: race.masters.progress, isDurable: !race.checksAll)
    }

    /// The samples of each entry, by its name, of the build that is judged.
    func run(
        _ row: String, _ title: String, _ entries: [MariaDBEntry], roundsAtMost limit: Int = .max
    ) throws -> [String: [Sample]] {
        let entries = entries.filter { race.hasPeers || !$0.contender.isPeer }
        let participants = entries.map { ($0.name, $0.contender.runsPruned) }
        return try race.take(turns: row, title, participants, rounds: min(race.rounds, limit)) {
            index, program, _ in
            try run(entries[index], by: program)
        }
    }

    private func run(_ entry: MariaDBEntry, by pruned: String) throws -> Sample {
        let copy = try server.copy(of: job)
        defer { try? server.removeCopy() }
        let program = try entry.contender.program(pruned, job, on: copy)
        let app = try entry.besideApp ? MariaDBApp(on: copy, rows: job.rows) : nil
        let ended = try program.measured()
        let milliseconds = try app?.end(after: ended)
        try ended.checked()

        let rule = try entry.contender == .pruned ? PrintedReport(json: ended.output).rule() : nil
        try expectDeleted(entry, on: copy, reported: rule?.deleted)
        var sample = Sample(
            usage: ended.usage, report: rule, reclaim: nil, app: nil, logBytes: 0, fileBytes: 0,
            vacuumedBytes: nil)
        sample.server = ServerFigures(
            longestTransactionMs: Self.longest(ended.output), lagSeconds: nil, updates: milliseconds?.count,
            p999Milliseconds: milliseconds?.percentile(99.9),
            medianMilliseconds: milliseconds?.percentile(50),
            longestMilliseconds: milliseconds?.percentile(100))
        return sample
    }

    /// What the loop says at its end.
    private static func longest(_ output: String) -> Double? {
        output.firstMatch(of: />longest ([0-9.e+-]+) ms</).flatMap { Double($0.1) }
    }

    /// Throws unless exactly the expired rows are gone. One that the app had in its hands may be left for the next run.
    private func expectDeleted(_ entry: MariaDBEntry, on copy: MariaDBCopy, reported: Int?) throws {
        let answer = try copy.run(job.count)
        let counts = (answer.first ?? []).compactMap { $0.flatMap { Int($0) } }
        guard counts.count == 4 else { throw BenchmarkError("\(job.count) gives \(answer)") }
        let (untouched, left, staying, all) = (counts[0], counts[1], counts[2], counts[3])
        let expired = job.expired
        let isRight =
            entry.contender.deletes
            ? untouched == 0 && (entry.besideApp || left == 0) : entry.besideApp || left == expired
        guard isRight, staying == job.rows - expired, all == staying + left,
            reported ?? expired - left == expired - left
        else {
            throw BenchmarkError(
                "\(entry.name) left \(left) of \(expired) expired rows (\(untouched) untouched), \(staying) of "
                    + "\(job.rows - expired) others, \(all) in all; it says \(reported ?? -1) were deleted")
        }
    }
}

extension [Double] {
    /// Of numbers in order, the one that so many per cent of them are at most.
    func percentile(_ percent: Double) -> Double {
        let place = Int((Double(count) * percent / 100).rounded(.up)) - 1
        return isEmpty ? .nan : self[Swift.min(Swift.max(0, place), count - 1)]
    }
}
