/// Rows 13 and 15: the rows go to the archive before they are deleted.
struct Archiving: Case {
    var rows: [String] { ["13", "15"] }

    func measure(_ wanted: Set<String>, in laboratory: Laboratory) throws -> [Finding] {
        var findings: [Finding] = []
        if wanted.contains("13") {
            findings += try RecordIDs.allCases.flatMap { try cost($0, in: laboratory) }
        }
        if wanted.contains("15") { findings += try waits(in: laboratory) }
        return findings
    }

    private func cost(_ ids: RecordIDs, in laboratory: Laboratory) throws -> [Finding] {
        let records = laboratory.sizes.archived
        let recipe = StoreRecipe(schema: .reader, ids: ids, records: records)
        let plain = Job(recipe: recipe, expiring: .readRecords(.half))
        var archiving = plain
        archiving.archive = true
        let pruned = Contender.pruned(laboratory.pruned)
        let what = "\(records.inWords), \(ids.inWords), archiving"
        let samples = try laboratory.race(
            what,
            [
                Entry(name: "pruned, archiving", contender: pruned, job: archiving),
                Entry(name: "pruned", contender: pruned, job: plain),
            ])
        let ours = samples["pruned, archiving"] ?? []
        return [
            .ratio("13", what, ours, to: samples["pruned"] ?? [], named: "without", atMost: 2.5),
            .batches("13", what, ours),
        ]
    }

    private func waits(in laboratory: Laboratory) throws -> [Finding] {
        let records = laboratory.sizes.middle
        let recipe = StoreRecipe(schema: .reader, ids: .followingTime, records: records)
        let job = Job(recipe: recipe, expiring: .readRecords(.half), archive: true)
        let what = "\(records.inWords), an insert every 3 ms, archiving"
        let samples = try laboratory.race(
            what,
            [
                Entry(name: "pruned", contender: .pruned(laboratory.pruned), job: job, load: .inserting)
            ])
        let ours = samples["pruned"] ?? []
        let isUnfinished = !ours.unfinished.isEmpty
        return [
            Finding(
                "15", "\(what): its longest wait", ours.longestWait, .atMost(10, "ms"),
                detail: BusyStore.detail(ours), decided: isUnfinished ? false : nil,
                holdsForSmallStores: isUnfinished),
            .batches("15", what, ours),
        ]
    }
}
