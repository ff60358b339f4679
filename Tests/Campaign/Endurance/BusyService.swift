import Foundation
import TestSupport

/// A service with many stores runs all its rules again and again while an app adds rows: it must not grow.
///
/// The rules are due every second, and asked for as soon as the last ones have ended, so that a day of runs takes minutes.
struct BusyService: Part {
    static let name = "endurance"
    /// A day of fifty stores whose rules run every minute.
    static let aim = Aim(points: 24 * runsOfAnHour, unit: "rule runs")
    static let sliceSeconds: Double? = 8
    static let workers = 1
    private static let runsOfAnHour = 50 * 60

    private let setting: Setting
    init(_ setting: Setting) { self.setting = setting }

    func attempt(_ number: Int, in directory: String) throws -> Attempt {
        let service = try RunningService(
            setting.pruned, stores: setting.isSlice ? 5 : 50, using: setting.generator(number), in: directory)
        var samples = [try service.sample()]
        let (most, between) = setting.isSlice ? (1_000, 50) : (24 * Self.runsOfAnHour, 1_000)
        while let last = samples.last, last.runs < most, last.descriptors < Flatness.mostDescriptors {
            try service.run(until: last.runs + between)
            samples.append(try service.sample())
        }
        let findings = Flatness.findings(samples) + (try service.end())
        let hours = Double(samples.last?.runs ?? 0) / Double(Self.runsOfAnHour)
        let warm = samples[samples.count / 4]
        return Attempt(
            points: samples.last?.runs ?? 0, findings: findings,
            remark: """
                \(String(format: "%.2f", hours)) hours of 50 stores every minute in one process; \
                warm: \(warm.text); at the end: \(samples.last?.text ?? "")
                """)
    }
}
