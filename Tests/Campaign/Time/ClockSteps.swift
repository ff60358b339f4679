import Foundation

/// A clock that steps at one reading of a run: at each in turn, by each step, with and without an earlier run, with and
/// without a time server.
struct ClockSteps: Part {
    static let name = "clock"
    static let aim = Aim(points: 1_500, unit: "clock steps")
    static let sliceSeconds: Double? = 8

    private static let hour: Int64 = 3_600
    private static let steps: [Int64] = [
        hour, -hour, 3 * hour, -3 * hour, 24 * hour, -24 * hour, 40 * 24 * hour, -40 * 24 * hour,
        3_650 * 24 * hour, -3_650 * 24 * hour, 4 * 365 * 24 * hour, 60 - ClockRows.start,
    ]

    private let setting: Setting
    private let template: ClockTemplate

    init(_ setting: Setting) throws {
        self.setting = setting
        template = try ClockTemplate(setting)
    }

    var cases: Int? { Self.steps.count * 4 }

    func attempt(_ number: Int, in directory: String) throws -> Attempt {
        let trial = ClockTrial(
            step: Self.steps[number / 4], hasRecord: number % 2 == 1, isSynchronised: number / 2 % 2 == 1,
            template: template, directory: directory, setting: setting)
        return try trial.attempt()
    }
}
