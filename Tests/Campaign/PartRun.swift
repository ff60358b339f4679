import Foundation
import Synchronization

/// How long a part may go on.
struct Limits {
    let seconds: Double
    /// The only case to try.
    let only: Int?
}

/// Runs the cases of one part side by side until they or the time are used up.
final class PartRun: Sendable {
    private struct State {
        var next = 0
        var cases = 0
        var points = 0
        var findings = 0
    }

    /// What a part came to.
    struct Result {
        let name: String
        let cases: Int
        let points: Int
        let findings: Int
        let seconds: Double

        /// One line of figures.
        var line: String {
            let verdict = findings == 0 ? "nothing found" : "\(findings) FOUND"
            return "\(name): \(points) points in \(cases) cases, \(Int(seconds.rounded())) s, \(verdict)"
        }
    }

    private let type: any Part.Type
    private let setting: Setting
    private let limits: Limits
    private let state = Mutex(State())

    init(_ type: any Part.Type, in setting: Setting, within limits: Limits) {
        self.type = type
        self.setting = setting
        self.limits = limits
    }

    func result() throws -> Result {
        let start = ContinuousClock.now
        try FileManager.default.createDirectory(atPath: setting.work, withIntermediateDirectories: true)
        defer { if !setting.keeps { try? FileManager.default.removeItem(atPath: setting.work) } }
        let part = try type.init(setting)
        let deadline = start + .seconds(limits.seconds)
        let first = limits.only ?? 0
        let end = limits.only.map { $0 + 1 } ?? part.cases ?? .max
        state.withLock { $0.next = first }
        let workers = limits.only == nil ? type.workers : 1
        DispatchQueue.concurrentPerform(iterations: workers) { worker in
            while ContinuousClock.now < deadline || limits.only != nil, let number = take(before: end) {
                attempt(number, of: part, worker: worker)
            }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let state = state.withLock { $0 }
        return Result(
            name: type.name, cases: state.cases, points: state.points, findings: state.findings,
            seconds: seconds)
    }

    private func take(before end: Int) -> Int? {
        state.withLock { state in
            guard state.next < end else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    private func attempt(_ number: Int, of part: any Part, worker: Int) {
        let directory = setting.work + "/\(type.name)-\(worker)"
        try? FileManager.default.removeItem(atPath: directory)
        var attempt = Attempt()
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
            attempt = try part.attempt(number, in: directory)
        } catch {
            attempt.findings.append("could not be tried: \(error)")
        }
        if !setting.keeps { try? FileManager.default.removeItem(atPath: directory) }
        state.withLock {
            $0.cases += 1
            $0.points += attempt.points
            $0.findings += attempt.findings.count
        }
        if let remark = attempt.remark { print("\(type.name) \(number): \(remark)") }
        for finding in attempt.findings {
            print("FOUND \(type.name) \(number): \(finding)")
            print("  repeat it: make campaign PART=\(type.name) SEED=\(setting.seed) ONLY=\(number)")
        }
    }
}
