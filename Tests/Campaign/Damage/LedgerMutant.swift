import Foundation
import TestSupport

/// A state directory with one damaged file, and what the program makes of it.
struct LedgerMutant {
    private let template: LedgerTemplate
    private let pruned: String
    private let directory: String
    private let damaged: String
    private var generator: SeededGenerator

    init(
        _ template: LedgerTemplate, pruned: String, in directory: String, keeps: Bool,
        using generator: SeededGenerator
    ) throws {
        (self.template, self.pruned, self.directory) = (template, pruned, directory)
        var generator = generator
        let targets = [
            LedgerTemplate.ledger + " whole", LedgerTemplate.ledger + " whole",
            LedgerTemplate.ledger + "-journal",
            LedgerTemplate.archive, LedgerTemplate.archive, LedgerTemplate.archive + "-wal",
        ]
        let target = targets[Int.random(in: 0..<targets.count, using: &generator)]
        damaged = target
        try Self.makeDirectory(directory)
        for (name, bytes) in template.files {
            // Either the whole ledger, or the one that a transaction was writing to.
            let isWhole = !target.hasSuffix("-journal")
            if name.hasPrefix(LedgerTemplate.ledger), name.hasSuffix(" whole") != isWhole { continue }
            if name.hasSuffix("-wal"), target == LedgerTemplate.archive { continue }
            var bytes = bytes
            if name == target {
                let extra = name.hasSuffix("-wal") ? 24 : name.hasSuffix("-journal") ? 8 : 0
                var mutation = Mutation(bytes: bytes, pageSize: 4096 + extra, generator: generator)
                mutation.mutate()
                (bytes, generator) = (mutation.bytes, mutation.generator)
                if keeps { try Data(bytes).write(to: URL(filePath: directory + "/damaged")) }
            }
            try Data(bytes).write(to: URL(filePath: directory + "/" + name.replacing(" whole", with: "")))
        }
        self.generator = generator
    }

    /// The same, whole, with `planted` executed in the ledger or in the archive.
    init(
        _ template: LedgerTemplate, pruned: String, in directory: String, planted: PlantedSQL,
        using generator: SeededGenerator
    ) throws {
        (self.template, self.pruned, self.directory, self.generator) = (
            template, pruned, directory, generator
        )
        damaged = planted.statement
        try Self.makeDirectory(directory)
        for (name, bytes) in template.files
        where [LedgerTemplate.ledger + " whole", LedgerTemplate.archive, "app.sqlite"].contains(name) {
            try Data(bytes).write(to: URL(filePath: directory + "/" + name.replacing(" whole", with: "")))
        }
        let file = try StoreFile(directory + "/" + planted.file)
        // Many a value is refused by the type of its column.
        try? file.execute(planted.statement)
    }

    private static func makeDirectory(_ directory: String) throws {
        for place in ["/ledger", "/archive/app"] {
            try FileManager.default.createDirectory(
                atPath: directory + place, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o750])
        }
        try LedgerTemplate.configuration.write(
            toFile: directory + "/pruned.toml", atomically: false, encoding: .utf8)
    }

    /// Runs, restores and looks: what went wrong.
    mutating func findings() throws -> [String] {
        var findings: [String] = []
        let looks = [
            ["status"], ["history"], ["plan"], ["check"], ["restore"], ["confirm", "plain"],
            ["explain", "held", "400"],
        ]
        if Int.random(in: 0..<3, using: &generator) == 0 {
            let look = looks[Int.random(in: 0..<looks.count, using: &generator)]
            let ended = try program(look)
            if ended.crashed { findings.append("\(look): \(ended)") }
        }
        let ended = try program(["--run-now", "--json"])
        guard [0, 1, 3, 65, 74, 75].contains(ended.status), let report = try? ended.report() else {
            return findings + ["the run: \(ended)"]
        }
        let left = try rows()
        let gone = (template.rows["archived"] ?? []).subtracting(left["archived"] ?? []).subtracting(
            archivedBefore)
        for table in LedgerTemplate.tables {
            let lost = (template.rows[table] ?? []).filter { mustStay($0, in: table) }.subtracting(
                left[table] ?? [])
            if !lost.isEmpty { findings.append("\(table) lost \(lost.sorted()[0])") }
        }
        let known = template.runs[Int.random(in: 0..<template.runs.count, using: &generator)]
        for run in gone.isEmpty ? [known] : [report.runId, known] {
            let restored = try program(["restore", run])
            if restored.crashed { findings.append("restore: \(restored)") }
            let now = try rows()
            for table in LedgerTemplate.tables {
                let wrong = (now[table] ?? []).subtracting(template.rows[table] ?? [])
                if !wrong.isEmpty { findings.append("\(table) got \(wrong.sorted()[0])") }
            }
            if run == report.runId {
                let missing = gone.subtracting(now["archived"] ?? [])
                if !missing.isEmpty {
                    findings.append(
                        "\(missing.sorted()[0]) is neither in the store nor in the archive: \(restored)")
                }
            }
        }
        return findings.map { "\($0) (\(damaged), \(template.confirmation); \(ended))" }
    }

    private func program(_ arguments: [String]) throws -> EndedProgram {
        try spawn(
            [pruned] + arguments + ["--state-dir", directory, "--config", directory + "/pruned.toml"],
            in: directory)
    }

    private func rows() throws -> [String: Set<String>] {
        let store = try StoreFile(directory + "/app.sqlite")
        return try Dictionary(
            uniqueKeysWithValues: LedgerTemplate.tables.map { try ($0, Set(LedgerTemplate.rows($0, store))) })
    }

    /// The rows of the second run, which were in no store any more when the damage came.
    private var archivedBefore: Set<String> {
        (template.rows["archived"] ?? []).filter {
            $0.hasPrefix("2") && $0.split(separator: "|")[0].count == 3
        }
    }

    /// Fresh rows, and rows that a person has to confirm.
    private func mustStay(_ row: String, in table: String) -> Bool {
        table == "held" || row.prefix { $0 != "|" }.count < 3
    }
}
