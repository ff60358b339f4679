import Foundation
import Pruning
import Retention
import TestSupport
import Testing

/// What is wrong with the files of a state directory.
struct StateDamageTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func damaged() throws -> [String] {
        let history = try RunHistory(stateDirectory: directory.path).contents()
        return StateDamage.all(in: directory.path, history).map { ($0.path as NSString).lastPathComponent }
    }

    private func write(_ text: String, _ name: String) throws {
        try text.write(toFile: directory.path + "/" + name, atomically: false, encoding: .utf8)
    }

    @Test("what is missing, or as the program writes it, is not damaged")
    func whole() throws {
        #expect(try damaged() == [])
        let report = Reports.run(Reports.rule())
        try RunLedger(stateDirectory: directory.path).record([Reports.task("r").rule], at: runStart)
        try RunHistory(stateDirectory: directory.path).append([.run(report, by: Reports.hand)])
        try write("{}", "holds.json")
        try write(#"{"unix_time": 1, "seconds_since_boot": 1}"#, "clock.json")
        #expect(try damaged() == [])
        let nowhere = StateDamage.all(in: directory.path + "/nowhere", .init())
        #expect(nowhere == [])
    }

    @Test(
        "a file that is no such file is damaged, and so is what is no file",
        arguments: ["last-runs.json", "holds.json", "clock.json", "metrics.json"])
    func foreign(name: String) throws {
        for text in ["", "{", "[]", "null", #"{"r": 1e300}"#, #"{"r": "yesterday"}"#, "\u{0}"] {
            try write(text, name)
            #expect(try damaged() == [name], "\(text)")
        }
        let path = directory.path + "/" + name
        unlink(path)
        symlink("nowhere", path)
        #expect(try damaged() == [name])
        unlink(path)
        mkdir(path, 0o700)
        #expect(try damaged() == [name])
    }

    @Test("lines of a history that are no entries are counted, in each of its files")
    func lines() throws {
        let entry = try HistoryEntry.run(Reports.run(Reports.rule()), by: Reports.hand).json()
        try write("\(entry)\n{}\n\(entry)", "history.jsonl")
        try write("\(entry)\n\(entry.prefix(20))\nnonsense\n\(entry)\n", "history.1.jsonl")
        let history = try RunHistory(stateDirectory: directory.path).contents()
        #expect(history.entries.count == 4)
        let damage = StateDamage.all(in: directory.path, history)
        #expect(
            damage.map(\.reason) == [
                "\(directory.path)/history.1.jsonl has 2 lines that are no entries, and what was said there is not known",
                "\(directory.path)/history.jsonl has a line that is no entry, and what was said there is not known",
            ])
        #expect(damage.allSatisfy { !$0.hint.isEmpty })
    }
}
