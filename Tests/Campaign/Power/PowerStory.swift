import Foundation
import TestSupport

/// What happens to the store while the disk records it: runs, restores and a confirmation, with the app beside them.
struct PowerStory {
    private enum Step: CaseIterable { case run, restore, confirm, appAlone }

    private let pruned: [String]
    private let directory: String
    private let disk: RecordedDisk
    private let store: PowerStore
    private var app: PowerApp
    private var generator: SeededGenerator

    init(
        of store: PowerStore, with pruned: [String], on disk: RecordedDisk, in directory: String,
        by generator: SeededGenerator
    ) throws {
        (self.store, self.pruned, self.disk, self.directory) = (store, pruned, disk, directory)
        self.generator = generator
        let now = Int64(Date().timeIntervalSince1970)
        try store.make(at: now)
        try Tool.run(["sync", "-f", PowerStore.path], in: directory)
        try disk.record(.ready)
        app = PowerApp(on: disk, at: now, by: SeededGenerator(seed: self.generator.next()))
    }

    /// Returns what is wrong already.
    mutating func tell() throws -> [String] {
        // A rule must have been held before it can be confirmed.
        var findings = try run()
        for _ in 0..<3 {
            switch Step.allCases.randomElement(using: &generator) ?? .run {
            case .run: findings += try run()
            case .restore: findings += try restore()
            case .confirm: findings += try confirm()
            case .appAlone: try appAlone()
            }
        }
        try appAlone()
        return findings
    }

    private mutating func run() throws -> [String] {
        try disk.record(.running)
        let ended = try besideApp(["--run-now"])
        if ended.status == 0 { try disk.record(.done) }
        return [0, 3].contains(ended.status) ? [] : ["a run beside the app: \(ended)"]
    }

    private mutating func confirm() throws -> [String] {
        let ended = try besideApp(["confirm", "big"])
        // There is nothing to confirm any more.
        guard ended.status == 0 else { return ended.crashed ? ["a confirmation: \(ended)"] : [] }
        try disk.record(.confirmed)
        try appAlone()
        return try run()
    }

    private mutating func restore() throws -> [String] {
        let runs = try archivedRuns(with: pruned, in: directory)
        guard let run = runs.randomElement(using: &generator) else { return [] }
        let before = try oldRows()
        try disk.record(.restoring)
        let ended = try besideApp(["restore", run])
        guard ended.status == 0 else {
            return ended.status == 1 ? [] : ["a restore beside the app: \(ended)"]
        }
        try disk.record(.restored(oldRows().subtracting(before).sorted()))
        return []
    }

    /// Runs pruned, mostly while the app works.
    private mutating func besideApp(_ arguments: [String]) throws -> EndedProgram {
        let app = Int.random(in: 0..<4, using: &generator) > 0 ? try store.open() : nil
        let running = try Program(tried: pruned + arguments, in: directory).start()
        // The app rests at some time: else a slow machine never comes to an end.
        if let app { try self.app.work(on: app, atMost: 120) { !running.isRunning } }
        return try running.end(seconds: 900)
    }

    private mutating func appAlone() throws {
        try app.work(on: store.open(), atMost: Int.random(in: 1...8, using: &generator))
    }

    private func oldRows() throws -> Set<Int64> {
        Set(
            try StoreFile(PowerStore.path).integers(
                "SELECT id FROM item WHERE id <= \(PowerModel.oldRows) AND at < 1700000000"))
    }
}

/// The runs that the archive has rows of, as `pruned restore` lists them.
func archivedRuns(with pruned: [String], in directory: String) throws -> [String] {
    let ended = try spawn(pruned + ["restore"], in: directory, seconds: 900)
    guard ended.status == 0 else { throw PowerError("the list of runs: \(ended)") }
    return ended.output.split(separator: "\n").dropFirst().compactMap { line in
        line.split(separator: " ").first.map(String.init).flatMap { $0.first?.isNumber == true ? $0 : nil }
    }
}
