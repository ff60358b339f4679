import Foundation
import Synchronization

/// When a part ends, besides having tried all its cases.
enum Limit {
    /// After so many seconds.
    case seconds(Double)
    /// Once it has reached its aim.
    case aim
    /// After the case of this number, the only one.
    case only(Int)
}

/// Runs the cases of one part side by side until they or its limit are reached.
final class PartRun: Sendable {
    private struct State {
        var next = 0
        var cases = 0
        var points = 0
        var findings: [String] = []
        var kinds: [String: Int] = [:]
    }

    /// What a part came to.
    struct Result {
        let name: String
        let aim: Aim
        let cases: Int
        let points: Int
        /// What was found, each with the command that repeats it.
        let findings: [String]
        let kinds: [String: Int]
        let seconds: Double

        /// One line of figures, and another where kinds are counted apart.
        var line: String {
            let verdict =
                !findings.isEmpty
                ? "\(findings.count) FOUND" : points == 0 ? "NOTHING TRIED" : "nothing found"
            return """
                \(name): \(points) \(aim.unit) (aim \(aim.points)) in \(cases) cases, \
                \(Int(seconds.rounded())) s, \(verdict)
                """
                    + (kinds.isEmpty ? "" : "\n  ")
                    + kinds.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(
                        separator: ", ")
        }
    }

    private let type: any Part.Type
    private let setting: Setting
    private let limit: Limit
    /// A part that finds much is broken as a whole, or the program is: more of the same tells nothing.
    private let mostFindings: Int
    private let state = Mutex(State())

    init(_ type: any Part.Type, in setting: Setting, endsAfter findings: Int, until limit: Limit) {
        mostFindings = findings
        self.type = type
        self.setting = setting
        self.limit = limit
    }

    func result() throws -> Result {
        try FileManager.default.createDirectory(atPath: setting.work, withIntermediateDirectories: true)
        defer { if !setting.keeps { try? FileManager.default.removeItem(atPath: setting.work) } }
        let part = try type.init(setting)
        // What all cases share takes no time from them.
        let start = ContinuousClock.now
        let only: Int? = if case .only(let number) = limit { number } else { nil }
        state.withLock { $0.next = only ?? 0 }
        let end = only.map { $0 + 1 } ?? part.cases ?? .max
        let workers = only == nil ? type.workers : 1
        DispatchQueue.concurrentPerform(iterations: workers) { worker in
            while let number = next(before: end, since: start) { attempt(number, of: part, worker: worker) }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let state = state.withLock { $0 }
        return Result(
            name: type.name, aim: type.aim, cases: state.cases, points: state.points,
            findings: state.findings, kinds: state.kinds, seconds: seconds)
    }

    /// A slice has other cases where a part chooses from less.
    private func repeating(_ number: Int) -> String {
        setting.isSlice
            ? ".build/release/Campaign \(type.name) --slice --seed \(setting.seed) --only \(number)"
            : "make campaign PART=\(type.name) SEED=\(setting.seed) ONLY=\(number)"
    }

    private func next(before end: Int, since start: ContinuousClock.Instant) -> Int? {
        state.withLock { state in
            guard state.next < end, state.findings.count < mostFindings else { return nil }
            switch limit {
            case .seconds(let seconds):
                guard ContinuousClock.now - start < .seconds(seconds) else { return nil }
            case .aim: guard state.points < type.aim.points else { return nil }
            case .only: break
            }
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
        let findings = attempt.findings.map {
            "FOUND \(type.name) \(number): \($0)\n  repeat it: \(repeating(number))"
        }
        state.withLock {
            $0.cases += 1
            $0.points += attempt.points
            $0.findings += findings
            if let kind = attempt.kind, attempt.points > 0 { $0.kinds[kind, default: 0] += attempt.points }
        }
        if let remark = attempt.remark { print("\(type.name) \(number): \(remark)") }
        for finding in findings { print(finding) }
    }
}
