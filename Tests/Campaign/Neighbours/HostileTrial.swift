import Foundation
import TestSupport

/// One run beside a neighbour, and what is there afterwards.
struct HostileTrial {
    private let place: Neighbourhood
    private let program: String

    init(_ scenario: HostileScenario, program: String, in directory: String) throws {
        place = Neighbourhood(directory: directory, scenario: scenario)
        self.program = program
        try place.make()
    }

    /// The operations on files that others could change, when nobody does.
    func operations() throws -> [FileOperation] {
        let traced = try TracedProgram(place.command(program), in: place.directory, as: place.scenario.user)
        var operations: [FileOperation] = []
        while let operation = traced.next() {
            if place.target(of: operation.path) != nil { operations.append(operation) }
        }
        let findings = try findings(of: traced.ended, expecting: [place.scenario.status])
        guard findings.isEmpty else { throw HostileTrialError(text: "without a change: \(findings)") }
        return operations
    }

    /// What is wrong after `change` at the operation of this number, from 1 on; nil if the neighbour cannot make it.
    func findings(_ change: HostileChange, at number: Int) throws -> [String]? {
        let before = try Victims(in: place.victims)
        let traced = try TracedProgram(place.command(program), in: place.directory, as: place.scenario.user)
        var seen = 0
        var (made, at): (HostileReturn?, FileOperation?)
        while let operation = traced.next() {
            guard let target = place.target(of: operation.path), seen < number else { continue }
            seen += 1
            guard seen == number else { continue }
            made = change.make(at: target, in: place)
            at = operation
        }
        guard let made, let at else { return nil }
        let touched = try Victims(in: place.victims).changes(since: before)
        made.take()
        return (try touched + findings(of: traced.ended, expecting: Self.documented)).map { "\(at): \($0)" }
    }

    /// Held, too: whoever takes the ledger away takes what the clock said.
    private static let documented: [Int32] = [0, 1, 3, 74, 75]

    private func findings(of run: EndedProgram, expecting statuses: [Int32]) throws -> [String] {
        var findings: [String] = []
        if !statuses.contains(run.status) { findings.append("\(run)") }
        if run.status != 0, !(run.output + run.errors).contains(place.directory) {
            findings.append("no path is named: \(run)")
        }
        if !place.scenario.isInState { findings += archiveFindings() }
        for path in [place.store, place.spare] where access(path, F_OK) == 0 || path == place.store {
            findings += Neighbour.app.act { appFindings(path) }
        }
        return findings
    }

    /// Each expired row is in a store or in the archive, which nobody else can change.
    private func archiveFindings() -> [String] {
        do {
            var gone = 0
            for path in [place.store, place.spare] where access(path, F_OK) == 0 {
                let ids = Set(try StoreFile(path).integers("SELECT id FROM item"))
                gone += Neighbourhood.expired.count { !ids.contains($0) }
            }
            let archive = place.state + "/archive/app/archive.sqlite"
            let archived =
                gone == 0
                ? 0 : try StoreFile(archive).integers("SELECT coalesce(sum(row_count), 0) FROM batch")[0]
            return gone > archived ? ["\(gone) rows are gone, and \(archived) archived"] : []
        } catch {
            return ["the stores or the archive cannot be read: \(error)"]
        }
    }

    /// What the app finds wrong with a store of its own.
    private func appFindings(_ path: String) -> [String] {
        do {
            let app = try StoreFile(path)
            try app.execute("INSERT INTO item VALUES (1000, 0, 'written by the app')")
            let ids = Set(try app.integers("SELECT id FROM item"))
            let lost = Neighbourhood.live.filter { !ids.contains($0) }
            let changed = try app.integers(
                "SELECT id FROM item WHERE id <= 100 AND note IS NOT 'note ' || id")
            return lost.isEmpty && changed.isEmpty
                ? [] : ["\(path) has lost live rows \(lost), and \(changed) are others"]
        } catch {
            return ["the app cannot use \(path): \(error)"]
        }
    }
}

/// A run failed to which nothing was done.
struct HostileTrialError: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}
