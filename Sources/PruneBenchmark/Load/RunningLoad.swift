import Foundation

/// The app at work.
final class RunningLoad {
    /// For so long it works alone before a run begins.
    private static let warmUpMilliseconds: Int64 = 300

    private let load: Load
    private let programs: [RunningProgram]

    /// Starts the programs and waits until all of them work.
    init(_ load: Load, _ executable: String, on copy: StoreCopy) throws {
        self.load = load
        programs = try load.programs(executable, on: copy).map(RunningProgram.init)
        let patience = MonotonicClock.nanoseconds + 20_000_000_000
        while !programs.allSatisfy({ $0.outputSoFar.hasPrefix("ready\n") }) {
            guard MonotonicClock.nanoseconds < patience else { throw WrongResult("the load does not begin") }
            MonotonicClock.sleep(milliseconds: 2)
        }
        MonotonicClock.sleep(milliseconds: Self.warmUpMilliseconds)
    }

    /// Ends the programs; how long the app waited while `run` ran and just after, and what it has inserted in all.
    func end(after run: EndedProgram) throws -> (waits: AppWaits, committed: Int) {
        MonotonicClock.sleep(milliseconds: load.aftermathMilliseconds)
        for program in programs { program.endInput() }
        let ended = try programs.map { try $0.wait().checked() }
        let calls = ended[0].output.split(separator: "\n").compactMap(Call.init(line:))
        let waits = AppWaits(
            calls, from: run.start, until: run.end + load.aftermathMilliseconds * 1_000_000)
        guard waits.calls > 0 else { throw WrongResult("the app did nothing during the run") }
        return (waits, calls.count { !$0.isRefused && !$0.isRead })
    }
}
