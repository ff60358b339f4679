import Foundation

/// The app at work.
final class RunningLoad {
    /// For so long it works alone before a run begins.
    private static let warmUpMilliseconds: Int64 = 300
    /// A stall that begins so soon after a run is that run's: it may have left a long log to be checkpointed.
    private static let aftermathMilliseconds: Int64 = 300

    private let programs: [RunningProgram]

    /// Starts the programs and waits until all of them work.
    init(_ programs: [Program]) throws {
        self.programs = try programs.map(RunningProgram.init)
        let patience = MonotonicClock.nanoseconds + 20_000_000_000
        while !self.programs.allSatisfy({ $0.outputSoFar.hasPrefix("ready\n") }) {
            guard MonotonicClock.nanoseconds < patience else { throw WrongResult("the load does not begin") }
            MonotonicClock.sleep(milliseconds: 2)
        }
        MonotonicClock.sleep(milliseconds: Self.warmUpMilliseconds)
    }

    /// Ends the programs; how long the app waited while `run` ran and just after, and what it has inserted in all.
    func end(after run: EndedProgram) throws -> (waits: AppWaits, committed: Int) {
        MonotonicClock.sleep(milliseconds: Self.aftermathMilliseconds)
        for program in programs { program.endInput() }
        let ended = try programs.map { try $0.wait().checked() }
        let inserts = ended[0].output.split(separator: "\n").compactMap(Insert.init(line:))
        let waits = AppWaits(
            inserts, from: run.start, until: run.end + Self.aftermathMilliseconds * 1_000_000)
        guard waits.inserts > 0 else { throw WrongResult("the app inserted nothing during the run") }
        return (waits, inserts.count { !$0.isRefused })
    }
}
