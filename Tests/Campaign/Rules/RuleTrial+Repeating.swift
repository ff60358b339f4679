import TestSupport

extension RuleTrial {
    /// A second run finds nothing.
    mutating func repeatRun(_ restored: Set<String> = []) throws {
        let before = try entries.map { try $0.content.content() }
        guard let report = report(of: try program("--run-now"), "the second run") else { return }
        for (entry, before) in zip(entries, before) {
            if let rule = report[entry.name] {
                let mustFail =
                    restored.contains(entry.name) ? entry.sample.mustFail : entry.sample.mustFailAgain
                let isRight =
                    mustFail ? rule.outcome == "failed" : rule.outcome == "done" && rule.expired == 0
                if !isRight || rule.deleted != 0 {
                    findings.append("the second run of \(entry.name): \(rule)")
                }
            }
            if let found = try entry.content.content().difference(from: before) {
                findings.append("the second run of \(entry.name): \(found)")
            }
        }
    }

    /// A source delivers some of the deleted rows again, under other keys: each is counted, and judged like any row.
    mutating func bringBack(_ random: inout SampleRandom) throws {
        var before: [StoreContent] = []
        for (index, entry) in entries.enumerated() {
            let sample = entry.sample
            let taken = sample.mustFail ? [] : sample.taken
            entries[index].sample.settle(taken)
            entries[index].cameBack = sample.rule.hasIdentity && !taken.isEmpty ? 0 : nil
            if sample.rule.hasIdentity, sample.rule.mark.isEmpty {
                for row in sample.rows where taken.contains(row.tag) && random.chance(0.4) {
                    let again = row.underAnotherKey(of: sample.shape)
                    try entry.content.execute(sample.insert(again))
                    entries[index].sample.rows.append(again)
                    entries[index].cameBack? += 1
                }
            }
            before.append(try entry.content.content())
        }
        guard let report = try run(before, "the run after rows came back") else { return }
        for entry in entries where !entry.sample.mustFail {
            guard let count = entry.cameBack, report[entry.name]?.cameBack != count else { continue }
            let said = report[entry.name]?.cameBack.map(String.init) ?? "unknown"
            findings.append("rule \(entry.name): \(said) rows came back, not \(count)")
        }
    }

    /// What was archived comes back, and no other run takes it again.
    mutating func restore(_ report: PrintedReport, to before: [StoreContent]) throws {
        let archived = entries.indices.filter { index in
            let sample = entries[index].sample
            return sample.rule.archives && !sample.mustFail && !sample.taken.isEmpty
        }
        guard !archived.isEmpty else { return }
        let program = try program("restore", report.runId)
        if program.status != 0 { findings.append("the restore ended with \(program)") }
        for index in archived {
            if let found = try entries[index].content.content().difference(from: before[index]) {
                findings.append("restored, rule \(entries[index].name): \(found)")
            }
        }
        try repeatRun(Set(archived.map { entries[$0].name }))
    }
}
