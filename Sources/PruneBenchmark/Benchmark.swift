import Foundation

/// The whole of it: all wanted cases, one after the other.
struct Benchmark {
    private let rows: Set<String>
    private let isQuick: Bool
    private let rounds: Int
    private let machine: Machine
    private let masters: MasterStores
    private let laboratory: Laboratory
    private let progress = Progress()

    /// `directory` is made when missing; stores of an earlier time in it are used again.
    init(
        rows: Set<String>, rounds: Int, isQuick: Bool, sizes: Sizes, pruned: String, executable: String,
        directory: String
    ) throws {
        self.rows = rows
        self.isQuick = isQuick
        self.rounds = rounds
        masters = try MasterStores(in: directory, builder: executable, progress: progress)
        machine = try Machine(workDirectory: directory, pruned: pruned)
        let race = Race(
            masters: masters, executable: executable, rounds: rounds, checksAll: isQuick, progress: progress)
        laboratory = Laboratory(pruned: pruned, sizes: sizes, race: race)
    }

    /// Measures. A case that goes wrong does not keep the others from being measured.
    func run(keepingStores keep: Bool) throws -> Results {
        let start = Date.now
        var findings: [Finding] = []
        var wrong: [String] = []
        for part in allCases where !rows.isDisjoint(with: part.rows) {
            do {
                findings += try part.measure(rows, in: laboratory)
            } catch {
                wrong.append("row \(part.rows.joined(separator: ", ")): \(error)")
                progress.say("WRONG: \(error)")
            }
        }
        if keep { try masters.removeCopy() } else { try masters.remove() }
        findings = findings.sorted { $0.row.compare($1.row, options: .numeric) == .orderedAscending }
        if isQuick {
            findings = findings.map(\.ofSmallStore)
            wrong += findings.filter { $0.verdict == .missed }.map { "row \($0.row): \($0.what)" }
        }
        return Results(
            machine: machine, startedAt: start.ISO8601Format(), rounds: rounds, isQuick: isQuick,
            findings: findings, series: laboratory.series, wrongResults: wrong)
    }
}
