import Foundation
import TestSupport

/// One random app, and many runs beside it.
final class AppCase<App: BusyApp> {
    private let app: App
    private let pruned: PrunedBeside
    private var generator: SeededGenerator
    private var findings: [String] = []
    private(set) var figures = AppFigures()
    /// How long a run takes, for the choice of the instant at which the next one is killed.
    private var usualSeconds = 0.1
    /// A machine on which much else runs makes batches small and pauses long.
    private static var patience: Double { 900 }
    /// Some runs would take minutes beside an app that never rests.
    private let mostBeside = 3000

    init(_ app: App, _ program: String, using generator: SeededGenerator, in directory: String) throws {
        self.app = app
        self.generator = generator
        let lockTime = App.lockTimes.randomElement(using: &self.generator) ?? "10ms"
        pruned = try PrunedBeside(
            program, store: app.store, rule: app.app.tables.rule, lockTime: lockTime, in: directory)
    }

    /// Tries it; what was found goes with the figures.
    func attempt(rounds: Int) throws -> (figures: AppFigures, findings: [String]) {
        do {
            try app.arrive(2000)
            if chance(4) { try serve(rounds: rounds) } else { try runAgainAndAgain(rounds: rounds) }
            try finish()
        } catch let error as App.Failure {
            findings.append("a transaction of the app failed: \(error)")
        }
        figures.transactions = app.app.transactions
        figures.commits = app.commitsSeen
        figures.taken = app.app.model.taken
        figures.returned = app.app.model.returned
        return (figures, findings + app.app.model.findings)
    }

    private var hasFound: Bool { !findings.isEmpty || !app.app.model.findings.isEmpty }

    private func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &generator) == 0 }

    private func runAgainAndAgain(rounds: Int) throws {
        for _ in 0..<rounds where !hasFound {
            try app.arrive(Int.random(in: 1...5000, using: &generator))
            let path = [[], ["--access-path", "walk"], ["--access-path", "index"]].randomElement(
                using: &generator)
            try beside(pruned.startRun(path ?? []))
            try app.compare()
            if app.app.tables.action == .archive, chance(4),
                let run = try pruned.archivedRuns().randomElement(using: &generator)
            {
                app.app.model.restores = true
                try beside(pruned.startRestore(run), mayLeave: true)
                try app.compare()
            }
        }
    }

    /// The app goes on until the program has ended, which may be killed or told to stop. A restore may leave rows that the
    /// app has under the same key.
    private func beside(_ running: RunningProgram, mayLeave: Bool = false) throws {
        let (start, first) = (ContinuousClock.now, app.app.transactions)
        let changes = app.disturbances
        let kill = chance(2) ? Double.random(in: 0...usualSeconds * 1.2, using: &generator) : nil
        var isStopping = false
        while running.isRunning {
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            if let kill, seconds > kill { running.send(SIGKILL) }
            if !isStopping, app.app.transactions - first > mostBeside {
                running.send(SIGTERM)
                isStopping = true
            }
            try app.act()
        }
        figures.runs += 1
        figures.beside += app.app.transactions - first
        let ended = try running.end(seconds: Self.patience)
        if ended.status == 128 + SIGKILL, kill != nil {
            figures.killed += 1
            app.app.model.hasCopies = true
            return
        }
        usualSeconds = (ContinuousClock.now - start) / .seconds(1)
        // A run that finds no way past this app gives up for now.
        let expected = app.isMigrating || app.disturbances > changes ? App.disturbed : [0, 75]
        judge(ended, expected + (mayLeave ? [1] : []))
    }

    private func judge(_ ended: EndedProgram, _ expected: [Int32]) {
        if !expected.contains(ended.status) { findings.append("it ended oddly: \(ended)") }
    }

    /// The service, asked for runs at random instants.
    private func serve(rounds: Int) throws {
        for _ in 0..<rounds where !hasFound {
            let first = app.app.transactions
            let service = try pruned.startService()
            while service.isRunning, !service.errors.contains("ready") { try app.act() }
            for number in 0..<Int.random(in: 100...2000, using: &generator) where service.isRunning {
                if number % 100 == 0 { service.send(SIGUSR1) }
                try app.act()
            }
            figures.beside += app.app.transactions - first
            figures.runs += 1
            let signal = chance(2) ? SIGKILL : SIGTERM
            service.send(signal)
            while service.isRunning { try app.act() }
            let ended = try service.end(seconds: Self.patience)
            if ended.status == 128 + SIGKILL, signal == SIGKILL {
                figures.killed += 1
                app.app.model.hasCopies = true
            } else {
                judge(ended, [0])
            }
            try app.compare()
        }
    }

    /// In the end, and without the app, a run takes all that has expired, and restores put back all that was archived.
    private func finish() throws {
        try app.settle()
        let expired = app.app.model.expired(at: app.app.now)
        let ended = try pruned.startRun().end(seconds: Self.patience)
        judge(ended, [0])
        try app.compare()
        let left = expired.filter { app.app.model.rows[$0].map { !$0.marked } ?? false }
        if !left.isEmpty {
            findings.append("\(left.count) expired rows are left after the last run: \(ended)")
        }
        if app.app.tables.action == .archive { try restoreAll() }
        findings += try app.health()
    }

    private func restoreAll() throws {
        app.app.model.restores = true
        for run in try pruned.archivedRuns() {
            judge(try pruned.startRestore(run).end(seconds: Self.patience), [0, 1])
        }
        try app.compare()
        let lost = app.app.model.archived
        if !lost.isEmpty { findings.append("\(lost.count) rows were not put back, such as \(lost[0])") }
    }
}
