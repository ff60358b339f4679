import Foundation
import TestSupport

/// The app at work: one program or several, the first of which has its calls timed.
final class RunningApp {
    /// For so long it works alone before a run begins.
    private static let warmUpMilliseconds: Int64 = 300

    private let work: [AppCommand.Work]
    private let programs: [RunningProgram]

    /// Starts the programs and waits until all of them work.
    init(_ work: [AppCommand.Work], _ executable: String, on copy: StoreCopy) throws {
        self.work = work
        programs = try work.map {
            try Program(executable, ["app", $0.rawValue, copy.path, copy.recipe.json]).start(feeds: true)
        }
        try wait(for: "the app at work", seconds: 20) { [programs] in
            programs.allSatisfy { $0.output.hasPrefix("ready\n") }
        }
        MonotonicClock.sleep(milliseconds: Self.warmUpMilliseconds)
    }

    /// Ends the programs; how long the app waited while `run` ran and just after, and what it has inserted in all.
    func end(after run: EndedProgram) throws -> (waits: AppWaits, committed: Int) {
        // A wait just after a run of a writer counts as the run's: the next writer may have to checkpoint a long log.
        let aftermathMilliseconds: Int64 = work.first == .inserting ? 300 : 0
        MonotonicClock.sleep(milliseconds: aftermathMilliseconds)
        for program in programs { program.endInput() }
        let ended = try programs.map { try $0.wait().checked() }
        let calls = try JSONDecoder().decode([Call].self, from: Data(ended[0].output.dropFirst(6).utf8))
        let waits = AppWaits(
            calls, from: run.usage.start, until: run.usage.end + aftermathMilliseconds * 1_000_000)
        guard waits.calls > 0 else { throw BenchmarkError("the app did nothing during the run") }
        return (waits, calls.count { !$0.isRefused && !$0.isRead })
    }
}
