import Foundation
import TestSupport

/// Attacks an operation at one point, looks at what is left, and lets it go on without faults.
struct Trial {
    let template: Template
    let point: FaultPoint
    /// Whether the runtime may end the program by a trap.
    var mayCrash = false
    let directory: String

    private var operation: Operation { template.operation }
    /// Failed, input or output, busy; never held, damaged, or a wrong configuration.
    private static let errors: Set<Int32> = [1, 74, 75]
    private static let traps = [SIGILL, SIGTRAP, SIGABRT, SIGSEGV]

    /// `looksFirst` says whether the app opens the store itself before the program goes on, or only a copy of it.
    func attempt(looksFirst: Bool) throws -> Attempt {
        let place = directory + "/trial"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        try template.copy(to: place)
        let log = directory + "/hit"
        let ended = try template.commands.attack(point, log: log, in: place)
        let hit = (try? String(contentsOfFile: log, encoding: .utf8))?.split(separator: "\n").first
        let isHit = hit != nil
        var findings = judge(ended, isHit: isHit)
        if isHit || !findings.isEmpty {
            let copy = directory + "/copy"
            if !looksFirst { try FileManager.default.copyItem(atPath: place, toPath: copy) }
            findings += try observe(ended, in: looksFirst ? place : copy)
            findings += try goOn(after: ended, in: place, isWritten: looksFirst)
        }
        let context = "\(operation.name), \(point) (\(hit ?? "nothing hit")), \(ended)"
        return Attempt(
            points: isHit ? 1 : 0, findings: findings.map { "\($0) [\(context)]" },
            kind: "\(point.label), \(outcome(ended))")
    }

    private func outcome(_ ended: EndedProgram) -> String {
        switch ended.status {
        case operation.ends: "as without it"
        case 128 + SIGKILL: "killed"
        case 128...: "crashed"
        default: "error"
        }
    }

    private func judge(_ ended: EndedProgram, isHit: Bool) -> [String] {
        if ended.status == EndedProgram.tookTooLong { return ["it hung"] }
        // The program was killed, or a worker process of it. Only what gives space back may fail beside a run that is done.
        if isHit, point.isKill {
            return [128 + SIGKILL, 1, operation.ends].contains(ended.status)
                ? [] : ["killed, it ended with \(ended.status)"]
        }
        if !isHit || point.way == .delayed {
            return ended.status == operation.ends ? [] : ["it failed without a fault"]
        }
        if mayCrash, Self.traps.contains(ended.status - 128) { return [] }
        // Without the record of the clock, a run is held: the clock may be wrong.
        if ended.status == 3, ended.output.contains("clock said cannot be read: ") { return [] }
        return Self.errors.contains(ended.status) || ended.status == operation.ends
            ? [] : ["it ended with \(ended.status)"]
    }

    /// What an app finds right after the end.
    private func observe(_ ended: EndedProgram, in place: String) throws -> [String] {
        let view = StoreView(operation, in: place)
        var findings: [String] = []
        do {
            findings += try view.faults(live: template.live)
            let left = try view.left()
            if ended.status == 0, operation.after == nil, left > 0 {
                findings.append("it says that it is done, but \(left) rows are left")
            }
            findings += compare(ClaimedWork(ended), ended, done: template.left - left)
            try view.write()
            for file in ["ledger/state.sqlite", "archive/app/archive.sqlite"] {
                let path = place + "/state/" + file
                guard FileManager.default.fileExists(atPath: path) else { continue }
                let health = try StoreFile(path).texts("PRAGMA integrity_check")
                if health != ["ok"] { findings.append("\(file) is damaged: \(health.prefix(3))") }
            }
        } catch {
            findings.append("an app cannot go on: \(error)")
        }
        return findings
    }

    /// Whether the report tells what was done. Without a store there is nothing to tell.
    private func compare(_ report: ClaimedWork?, _ ended: EndedProgram, done: Int64) -> [String] {
        guard operation.store != nil, operation.after == nil else { return [] }
        guard let report else { return ended.status == 0 ? ["it is done without a report"] : [] }
        if report.done > done { return ["it reports \(report.done) rows, but \(done) are done"] }
        if ended.status == 0, report.done < done {
            return ["it reports \(report.done) rows of \(done)"]
        }
        return []
    }

    /// Lets the program finish without faults, and looks at everything.
    private func goOn(after ended: EndedProgram, in place: String, isWritten: Bool) throws -> [String] {
        var commands = operation.after ?? []
        if ended.status != operation.ends || commands.isEmpty { commands.insert(operation.command, at: 0) }
        for command in commands {
            var next = try template.commands.start(command, in: place)
            if operation.mayBeHeld, next.status == 3 {
                next = try template.commands.start(command, in: place)
            }
            if next.status != operation.ends { return ["\(command) afterwards: \(next)"] }
        }
        let view = StoreView(operation, in: place)
        var findings = try view.faults(live: template.live)
        let left = try view.left()
        if left > 0 { findings.append("\(left) rows are left in the end") }
        if isWritten, try view.written() != 1 { findings.append("what the app wrote is lost") }
        let files = try Template.files(in: place)
        if files != template.rest {
            let (now, rest) = (Set(files), Set(template.rest))
            findings.append(
                "files \(now.subtracting(rest).sorted()) too many, \(rest.subtracting(now).sorted()) missing")
        }
        if !operation.archived.isEmpty { findings += try bringBack(in: place) }
        return findings
    }

    /// Whether all that was deleted can be restored.
    private func bringBack(in place: String) throws -> [String] {
        let list = try template.commands.start(["restore"], in: place)
        guard list.status == 0 else { return ["the archive has no list: \(list)"] }
        for run in list.output.split(separator: "\n").dropFirst().compactMap({
            $0.split(separator: " ").first
        }) {
            let ended = try template.commands.start(["restore", String(run)], in: place)
            if ended.status != 0 { return ["restore \(run): \(ended)"] }
        }
        let view = StoreView(operation, in: place)
        let missing = template.archived.subtracting(try view.archived())
        let findings = try view.faults(live: template.live)
        return findings
            + (missing.isEmpty ? [] : ["\(missing.count) rows are neither in the store nor in the archive"])
    }
}
