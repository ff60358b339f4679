import Foundation
import TestSupport

/// A store, and the ledger of a run by a right clock, made once.
struct ClockTemplate {
    private let store: Data
    private let ledger: Data
    private let made = ContinuousClock.now

    init(_ setting: Setting) throws {
        let directory = setting.work + "/clock-template"
        let path = directory + "/state/s.db"
        try FileManager.default.createDirectory(
            atPath: directory + "/state", withIntermediateDirectories: true)
        try Data(ClockRows.configuration.utf8).write(to: URL(filePath: directory + "/pruned.toml"))
        try StoreFile(path).execute(ClockRows.sql)
        store = try Data(contentsOf: URL(filePath: path))
        let first = try spawn(
            [setting.pruned, "--run-now", "--state-dir", "state", "--config", "pruned.toml"],
            environment: ["LD_PRELOAD": setting.clock, "CLOCK_NOW": "\(ClockRows.start)"], in: directory)
        guard first.status == 0 else { throw ClockTemplateError(program: first) }
        ledger = try Data(contentsOf: URL(filePath: directory + "/state/ledger/state.sqlite"))
    }

    /// What a right clock says now: as much later than in that run as time has passed since.
    var now: Int64 { ClockRows.start + Int64((ContinuousClock.now - made) / .seconds(1)) }

    /// Makes a state directory anew, with the store in it.
    func copy(to directory: String, withLedger: Bool) throws {
        let state = directory + "/state"
        try? FileManager.default.removeItem(atPath: state)
        try FileManager.default.createDirectory(atPath: state + "/ledger", withIntermediateDirectories: true)
        try store.write(to: URL(filePath: state + "/s.db"))
        if withLedger { try ledger.write(to: URL(filePath: state + "/ledger/state.sqlite")) }
        try Data(ClockRows.configuration.utf8).write(to: URL(filePath: directory + "/pruned.toml"))
    }
}

/// The run by a right clock did not end well.
struct ClockTemplateError: Error, CustomStringConvertible {
    let program: EndedProgram

    var description: String { "the run by a right clock: \(program)" }
}
