import Foundation
import TestSupport

/// A program under trial.
extension Program {
    /// It starts in `directory`, which is its home. `PLANTED` is passed on: it names the mistake of a program under trial.
    init(tried line: [String], environment: [String: String] = [:], in directory: String) {
        let fixed = [
            "LC_ALL": "C.UTF-8", "HOME": directory,
            // Nothing that is installed on the machine counts.
            "CONFIGURATION_DIRECTORY": directory + "/etc", "XDG_DATA_DIRS": directory + "/share",
        ]
        let planted = getenv("PLANTED").map { ["PLANTED": String(cString: $0)] } ?? [:]
        self.init(
            path: line[0], arguments: Array(line.dropFirst()),
            environment: fixed.merging(planted) { $1 }.merging(environment) { $1 }, directory: directory)
    }
}

extension RunningProgram {
    /// Waits for its end; kills it after `seconds`, which gives it the status ``EndedProgram/tookTooLong``.
    func end(seconds: Double = 60) throws -> EndedProgram {
        do { return try wait(seconds: seconds) } catch let late as ProgramTookTooLong {
            return EndedProgram(
                line: late.line, status: EndedProgram.tookTooLong, output: late.output, errors: late.errors)
        }
    }
}

extension EndedProgram {
    /// The status of a program that did not end in time.
    static let tookTooLong: Int32 = 999

    /// Whether it was ended by a signal, its own abort included, or had to be killed.
    var crashed: Bool { status >= 128 }
}

/// Runs `line` in `directory` to its end; kills it after `seconds`.
func spawn(
    _ line: [String], environment: [String: String] = [:], in directory: String, seconds: Double = 60
) throws -> EndedProgram {
    try Program(tried: line, environment: environment, in: directory).start().end(seconds: seconds)
}
