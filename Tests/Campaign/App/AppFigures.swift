import Synchronization

import Foundation
import TestSupport

/// What an app did, and what was done beside it.
struct AppFigures {
    var transactions = 0
    /// Of these, beside a run.
    var beside = 0
    var runs = 0
    /// Runs that were killed.
    var killed = 0
    /// Commits of runs that came between two transactions of the app.
    var commits = 0
    /// Rows that runs took.
    var taken = 0
    /// Rows that a restore put back.
    var returned = 0

    static func += (figures: inout Self, more: Self) {
        figures.transactions += more.transactions
        figures.beside += more.beside
        figures.runs += more.runs
        figures.killed += more.killed
        figures.commits += more.commits
        figures.taken += more.taken
        figures.returned += more.returned
    }

    var text: String {
        "\(transactions) transactions, \(transactions == 0 ? 0 : beside * 100 / transactions) % beside \(runs) runs, "
            + "of which \(killed) were killed; \(commits) commits of runs came between transactions, "
            + "\(taken) rows taken, \(returned) put back"
    }
}

/// The figures of all cases of a part.
final class AppTotal: Sendable {
    private let total = Mutex(AppFigures())

    func add(_ tried: (figures: AppFigures, findings: [String])) -> Attempt {
        let text = total.withLock { total in
            total += tried.figures
            return total.text
        }
        return Attempt(
            points: tried.figures.transactions, findings: tried.findings, remark: "so far \(text)")
    }
}
