import Foundation
import TestSupport

/// A damaged store, and what SQLite reads of it.
struct StoreMutant {
    let name: String
    let template: StoreTemplate
    private let damaged: String
    let path: String
    let now: Int
    let files: [[UInt8]]
    private let before: StoreRows
    /// How many pages it has, in all of its files.
    let pages: Int

    init(
        _ template: StoreTemplate, named name: String, in directory: String, now: Int, keeps: Bool,
        using generator: inout SeededGenerator
    ) throws {
        (self.template, self.name, self.now) = (template, name, now)
        path = "\(directory)/\(name).sqlite"
        var files = template.files
        let present = files.indices.filter { !files[$0].isEmpty }
        let file = present.randomElement(using: &generator) ?? 0
        var mutation = Mutation(
            bytes: files[file], pageSize: template.layout.pageSize + [0, 24, 8][file], generator: generator)
        mutation.mutate()
        generator = mutation.generator
        let isSealed = file == 1 && Bool.random(using: &generator)
        files[file] =
            isSealed
            ? LogSeal.sealing(mutation.bytes, pageSize: template.layout.pageSize) : mutation.bytes
        // Nobody has the store open, so what the index of its log says does not count.
        let index =
            template.files[1].isEmpty || Int.random(in: 0..<3, using: &generator) > 0
            ? nil : Data(repeating: .random(in: 0...255, using: &generator), count: 32_768)
        self.files = files
        pages = files.reduce(0) { $0 + $1.count / template.layout.pageSize }
        let place = ["file", isSealed ? "sealed log" : "log", "journal"][file]
        damaged = "\(template.shape.name), \(template.layout), \(place)"
        try StoreTemplate.write(files, path)
        try index?.write(to: URL(filePath: path + "-shm"))
        let read = directory + "/read"
        try FileManager.default.createDirectory(atPath: read, withIntermediateDirectories: true)
        try StoreTemplate.write(files, read + "/copy.sqlite")
        before = try StoreRows(read + "/copy.sqlite", template.shape, now: now)
        try FileManager.default.removeItem(atPath: read)
        guard keeps else { return }
        let kept = directory + "/before"
        try FileManager.default.createDirectory(atPath: kept, withIntermediateDirectories: true)
        try StoreTemplate.write(files, "\(kept)/\(name).sqlite")
    }

    var rule: String { name.replacing("s", with: "r") }

    var configuration: String {
        """
        [store.\(name)]
        path = "\(name).sqlite"
        [rule.\(rule)]
        store = "\(name)"
        table = "t"
        \(template.shape.rule.replacing("; ", with: "\n"))

        """
    }

    /// What is wrong with the store after a run that said `rules` of it.
    func findings(after rules: [PrintedReport.Rule]) throws -> [String] {
        let after = try StoreRows(path, template.shape, now: now)
        var findings: [String] = []
        let all = Set(template.shape.read.map(\.0))
        let lost = before.fates.filter { row, fate in
            after.fates[row] == nil && (template.rows.fates[row] ?? .goes) != .goes
                && (fate == .stays || fate == .staysByOthers && before.whole == all)
        }
        let unreadable = rules.isEmpty ? [] : before.whole.subtracting(after.whole)
        if !lost.isEmpty || !unreadable.isEmpty {
            // Where cells or pages are used twice, taking a row out damages another one, whoever does it, and in which
            // order tells which one.
            let going = before.fates.filter { $1 == .goes && after.fates[$0] == nil }.map(\.key)
            let alone = try SQLiteAlone.all.map { try $0.rows(of: self, going: going) }
            if lost.keys.allSatisfy({ row in alone.contains { $0.fates[row] == nil } }),
                unreadable.allSatisfy({ table in alone.contains { !$0.whole.contains(table) } })
            {
                return []
            }
        }
        if !lost.isEmpty {
            findings.append("lost \(lost.count) rows that stay, such as \(lost.keys.sorted()[0])")
        }
        if !rules.isEmpty, rules.allSatisfy({ $0.outcome == "done" }) {
            if !unreadable.isEmpty {
                findings.append("done, and \(unreadable.sorted()) cannot be read any more")
            }
            if before.isSound, !after.isSound { findings.append("done, and it is not sound any more") }
            if before.isSound, template.shape.deletes,
                let left = after.fates.first(where: { row, fate in
                    row.hasPrefix("t: ") && before.fates[row] == .goes && template.rows.fates[row] == .goes
                })
            {
                findings.append("done, and \(left.key) is still there")
            }
        }
        return findings.map {
            "\($0) (\(damaged), \(before.isSound ? "sound" : "not sound") before; \(rules))"
        }
    }
}
