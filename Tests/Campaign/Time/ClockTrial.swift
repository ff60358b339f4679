import Foundation
import TestSupport

/// Runs whose clock makes the same step, each at another of its readings.
struct ClockTrial {
    let step: Int64
    /// Whether an earlier run has recorded the clock.
    let hasRecord: Bool
    /// Whether the kernel says that a time server keeps the clock right.
    let isSynchronised: Bool
    let template: ClockTemplate
    let directory: String
    let setting: Setting

    private var circumstances: String {
        "a step by \(step) s \(hasRecord ? "after an earlier run" : "in a first run")"
            + (isSynchronised ? ", with a time server" : "")
    }

    func attempt() throws -> Attempt {
        var attempt = Attempt(points: 0)
        // A step after the last reading is none.
        let readings = try run(at: .max, template.now, &attempt)?.readings ?? 0
        guard attempt.findings.isEmpty, readings > 0 else { return attempt }
        var unfinished = 0
        for reading in 1...readings {
            attempt.points += 1
            let now = template.now
            guard let run = try run(at: reading, now, &attempt) else { continue }
            if run.start == now, !run.isDone { unfinished += 1 }
            try goOn(after: run, at: reading, &attempt)
            guard attempt.findings.count < 3 else { return attempt }
        }
        // The clock is looked at before each batch.
        if step < -Self.tolerance, unfinished < ClockRows.tables.count {
            attempt.findings.append("\(circumstances) stopped a run at \(unfinished) of \(readings) readings")
        }
        return attempt
    }

    private struct Run {
        /// The instant that its report says.
        let start: Int64
        let now: Int64
        let isDone: Bool
        let readings: Int
        let gone: [String: Set<Int64>]
    }

    /// Runs the rules on a new store with a clock that steps at the reading `reading`, and looks at what has gone.
    private func run(at reading: Int, _ now: Int64, _ attempt: inout Attempt) throws -> Run? {
        let place = "\(circumstances), at reading \(reading)"
        try template.copy(to: directory, withLedger: hasRecord)
        let program = try pruned(
            now, ["CLOCK_STEP": "\(step)", "CLOCK_STEP_AT": reading == .max ? "0" : "\(reading)"])
        guard let report = try? program.report(), !program.crashed else {
            attempt.findings.append("\(place): \(program)")
            return nil
        }
        let clocks = isBelieved(now + step) && reading != .max ? [now, now + step] : [now]
        let gone = try self.gone()
        for table in ClockRows.tables {
            let (rows, rule) = (gone[table] ?? [], report[table])
            let starts = clocks.filter { rule?.cutoff == Self.text(ClockRows.cutoff(of: table, at: $0)) }
            let due = starts.first.map { ClockRows.expired(in: table, at: $0) } ?? []
            if !rows.isSubset(of: due) {
                attempt.findings.append(
                    "\(place): \(rows.subtracting(due).count) rows of \(table) are gone that had not expired: \(program)"
                )
            }
            switch rule?.outcome {
            case "done":
                if rows != due { attempt.findings.append("\(place): \(table) is done, and rows are left") }
            case "held", "stopped":
                if rule?.reason == nil { attempt.findings.append("\(place): no reason: \(program)") }
            default: attempt.findings.append("\(place): \(program)")
            }
        }
        return Run(
            start: Self.second(report.startedAt), now: now, isDone: report.outcome == "done",
            readings: try readings(), gone: gone)
    }

    /// A run by a right clock ends what the one before left.
    private func goOn(after run: Run, at reading: Int, _ attempt: inout Attempt) throws {
        let place = "\(circumstances), at reading \(reading), and then a right clock"
        let now = template.now
        var program = try pruned(now, [:])
        if isBelieved(run.now + step), !isSynchronised, (try? program.report())?.outcome == "held" {
            // The run before believed the other clock: a person has to say which one is right.
            program = try pruned(now, [:], "--trust-clock")
        }
        guard program.status == 0 else {
            attempt.findings.append("\(place): \(program)")
            return
        }
        let gone = try self.gone()
        for table in ClockRows.tables {
            let due = ClockRows.expired(in: table, at: now).union(run.gone[table] ?? [])
            if gone[table] != due { attempt.findings.append("\(place): \(table) is not as it should be") }
        }
    }

    private func pruned(_ now: Int64, _ environment: [String: String], _ options: String...) throws
        -> EndedProgram
    {
        try Data(count: 8).write(to: URL(filePath: directory + "/readings"))
        let clock = [
            "LD_PRELOAD": setting.clock, "CLOCK_NOW": "\(now)", "CLOCK_READINGS": "readings", "TZ": "UTC",
            "CLOCK_SYNCHRONISED": isSynchronised ? "1" : "0",
        ]
        return try spawn(
            [setting.pruned, "--run-now", "--json", "--state-dir", "state", "--config", "pruned.toml"]
                + options,
            environment: clock.merging(environment) { $1 }, in: directory, seconds: 600)
    }

    private func readings() throws -> Int {
        let bytes = try Data(contentsOf: URL(filePath: directory + "/readings"))
        return bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private func gone() throws -> [String: Set<Int64>] {
        let file = try StoreFile(directory + "/state/s.db")
        let rows = try ClockRows.tables.map { table in
            (table, ClockRows.all.subtracting(try file.integers("SELECT at FROM \(table)")))
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    private static let tolerance: Int64 = 2 * 3_600

    /// Whether the manual says that a run may go by a clock that shows `shown`.
    private func isBelieved(_ shown: Int64) -> Bool {
        let fiveYears: Int64 = 5 * 365 * 86_400
        // Earlier than the program itself.
        guard shown >= 1_767_225_600 else { return false }
        let leap = shown - template.now
        guard hasRecord else { return isSynchronised || leap <= fiveYears }
        return isSynchronised ? leap <= fiveYears : abs(leap) <= Self.tolerance
    }

    private static func text(_ second: Int64) -> String {
        ColumnFormat.written(second).replacing(" ", with: "T") + "Z"
    }

    private static func second(_ text: String) -> Int64 {
        (try? Date(text, strategy: .iso8601)).map { Int64($0.timeIntervalSince1970) } ?? 0
    }
}
