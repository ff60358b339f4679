import Foundation
import TestSupport

/// Runs the program on a scenario, once with a fault, and looks at what is there afterwards.
struct NetworkTrial {
    private let scenario: ServerScenario
    private let stand: ServerStand
    private let pruned: String
    private let directory: String

    init(_ scenario: ServerScenario, on stand: ServerStand, pruned: String, in directory: String) {
        (self.scenario, self.stand, self.pruned, self.directory) = (scenario, stand, pruned, directory)
    }

    /// How long a program may take that nothing ends: all of its own limits together are far less.
    private static let patience = 300.0

    /// How many messages there are without a fault.
    func messages() throws -> Int {
        let command = try begin()
        stand.proxy.begin(nil)
        let run = try spawn(command, in: directory, seconds: Self.patience)
        let messages = stand.proxy.messages
        let findings = try findings(of: run, without: true) + aftermath()
        guard findings.isEmpty else {
            throw ServerConnectionError(text: "\(scenario.name) without a fault: \(findings)")
        }
        return messages
    }

    /// What is wrong after a fault at `point`; nil if there is no such message.
    func findings(_ point: MessageProxy.Point) throws -> [String]? {
        let command = try begin()
        stand.proxy.begin(point)
        let program = try Program(tried: command, in: directory).start()
        if point.fault.needsStop {
            try wait(for: "message \(point.number)", seconds: Self.patience) {
                stand.proxy.isHit || !program.isRunning
            }
            program.send(SIGTERM)
        }
        let run = try program.end(seconds: Self.patience)
        // What is on its way may still meet the fault.
        try wait(for: "the end of the connections", seconds: Self.patience) { stand.proxy.open == 0 }
        let isHit = stand.proxy.isHit
        try stand.recover()
        let findings = try findings(
            of: run, without: !isHit || point.fault.isHarmless, isStopped: point.fault.needsStop)
        stand.proxy.end()
        return try isHit || !findings.isEmpty ? findings + aftermath() : nil
    }

    // MARK: - Commands

    /// Makes the tables and the state, and returns the command that is to meet the fault.
    private func begin() throws -> [String] {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let configuration = "store.app.url = \"\(stand.url(of: scenario))\"\n" + scenario.rules
        try configuration.write(toFile: directory + "/pruned.toml", atomically: false, encoding: .utf8)
        stand.proxy.end()
        try stand.fill(scenario)
        guard scenario.restores else { return command("--run-now") }
        let run = try spawn(command("--run-now"), in: directory)
        guard run.status == 0, let report = try? run.report() else {
            throw ServerConnectionError(text: "before the restore: \(run)")
        }
        return command("restore", report.runId)
    }

    private func command(_ arguments: String...) -> [String] {
        [pruned] + arguments + [
            "--state-dir", directory + "/state", "--config", directory + "/pruned.toml", "--json",
        ]
    }

    // MARK: - Judging

    /// What is wrong with a run, `without` a fault that it may notice.
    private func findings(of run: EndedProgram, without: Bool, isStopped: Bool = false) throws -> [String] {
        var findings = try stand.leftovers() + tables()
        let app = try stand.connection(to: scenario)
        let (all, gone) = try (app.integer(scenario.all), app.integer(scenario.gone))
        let done = scenario.restores ? all - gone : gone
        // Before a run begins, it does not handle the signal that stops it.
        let isUnbegun = isStopped && run.status == 128 + SIGTERM && done == 0
        let report = ClaimedWork(run)
        let documented: [Int32] = report?.isUnsure ?? false ? [1] : [0, 74, 75]
        if !documented.contains(run.status) && !isUnbegun || without && run.status != 0 {
            findings.append("\(run)")
        }
        if run.status == 0, done < all { findings.append("exit 0 with \(done) of \(all) rows done") }
        guard let report else {
            // It may not get as far as a report, but never as far as the rows without one.
            if done > 0 || run.status == 0 { findings.append("\(done) rows done, and no report: \(run)") }
            return findings
        }
        if report.isUnsure ? report.done > done : report.done != done {
            findings.append("\(report.done) rows reported, and \(done) done: \(run)")
        }
        return findings
    }

    /// What must never be, whatever happened.
    private func tables() throws -> [String] {
        let app = try stand.connection(to: scenario)
        var findings: [String] = []
        let lost = try app.texts(scenario.lost)
        if !lost.isEmpty { findings.append("live rows lost: \(lost)") }
        let foreign = try app.texts(scenario.foreign)
        if !foreign.isEmpty { findings.append("rows that were never there: \(foreign)") }
        if let untold = try scenario.untold.map(app.texts), !untold.isEmpty {
            findings.append("rows and tombstones disagree: \(untold)")
        }
        return findings
    }

    /// The next run, without a fault, does all the rest; what is archived comes back.
    private func aftermath() throws -> [String] {
        var findings: [String] = []
        let app = try stand.connection(to: scenario)
        if !scenario.restores {
            let before = try app.integer(scenario.gone)
            let run = try spawn(command("--run-now"), in: directory)
            let (all, gone) = try (app.integer(scenario.all), app.integer(scenario.gone))
            if run.status != 0 || gone < all || ClaimedWork(run)?.done != gone - before {
                findings.append("the next run: \(before), then \(gone) of \(all) rows done: \(run)")
            }
        }
        if scenario.archives { findings += try restoring(app) }
        return try findings + stand.leftovers() + tables()
    }

    private func restoring(_ app: ServerConnection) throws -> [String] {
        var findings: [String] = []
        let list = try spawn(Array(command("restore").dropLast()), in: directory)
        for run in list.output.split(separator: "\n").dropFirst().compactMap({
            $0.split(separator: " ").first
        }) {
            let restore = try spawn(command("restore", String(run)), in: directory)
            if restore.status != 0 { findings.append("the restore of \(run): \(restore)") }
        }
        // Rows that are back have a lease.
        let next = try spawn(command("--run-now"), in: directory)
        let gone = try app.integer(scenario.gone)
        if gone != 0 || next.status != 0 {
            findings.append("\(gone) rows are not back: \(list.output); the next run: \(next)")
        }
        return findings
    }
}
