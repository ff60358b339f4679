import Foundation
import Pruning
import Retention
import Synchronization

/// A store for what a real file does not do at will: each call takes the next answer of a script.
final class FakeStore: PrunableStore {
    let definition: StoreDefinition
    private let space: FreeSpace?
    private let answers: Mutex<[Answer]>
    private let steps: Mutex<[Answer]>
    private let asked = Mutex<[Int]>([])
    private let othersCommits: @Sendable () -> Int
    /// What is said of counted rows that are still there; nil if the app changed or deleted them.
    private let shortfall: StoreError.Kind?

    /// What a batch does, or a step that gives pages back.
    enum Answer {
        case deletes(Int64, isLast: Bool)
        case fails(StoreError.Kind)
        case deletesSlowly(dependents: Int64, effort: Duration?)
    }

    init(
        _ name: Name = "s", batches: [Answer], space: FreeSpace? = nil, steps: [Answer] = [],
        othersCommits: @escaping @Sendable () -> Int = { 0 }, shortfall: StoreError.Kind? = nil
    ) {
        self.shortfall = shortfall
        definition = StoreDefinition(name: name, path: "/fake/\(name)")
        self.space = space
        answers = Mutex(batches)
        self.steps = Mutex(steps)
        self.othersCommits = othersCommits
    }

    /// The sizes of the batches and steps that were asked for.
    var sizes: [Int] { asked.withLock { $0 } }

    func exists() -> Bool { true }
    func checkAccess() {}
    func diskBytes() -> Int64? { space?.bytes }
    func claim(_ control: RunControl) -> any StoreClaim { Claim() }
    func claimHolder() -> String? { nil }
    func openView(_ control: RunControl) -> any ViewContext { View(space: space) }
    func openWorker(_ control: RunControl) -> any WorkerContext { Worker(store: self) }
    func openRestorer(
        _ part: ArchivedPart, leaseEnd: Date, _ control: RunControl
    ) throws(StoreError) -> any RestoringContext { throw Self.noArchive }
    func previewRestore(of part: ArchivedPart, _ control: RunControl) throws(StoreError) -> RestoredBatch {
        throw Self.noArchive
    }

    private static var noArchive: StoreError {
        StoreError(.other, operation: "restore", place: "/fake", cause: "there is no archive")
    }

    private struct Claim: StoreClaim {
        func release() {}
    }

    private struct View: ViewContext {
        let space: FreeSpace?

        func validate(_ rule: RetentionRule) {}
        func checkScans(of rule: RetentionRule) {}
        func checkMark(by task: PruneTask) {}
        func remarks(before task: PruneTask) -> [String] { [] }
        func checkReferences(to task: PruneTask) {}
        func mayHaveExpired(_ task: PruneTask) -> Bool { true }
        func census(of task: PruneTask) -> Census { Census(expired: 1_000, implausible: 0) }
        func fingerprint(of task: PruneTask) -> RowsFingerprint { RowsFingerprint(rows: 1_000) }
        func ages(of task: PruneTask) -> AgeProfile {
            AgeProfile(
                census: census(of: task), rows: 2_000, oldestExpired: nil, newestExpired: nil, next: nil,
                counts: [], grain: 86_400)
        }
        func judge(_ key: [String], by task: PruneTask) throws(StoreError) -> RowJudgement? { nil }

        func timeSample(of task: PruneTask, rows: Int) -> TimeSample {
            TimeSample(integers: [])
        }
        func rowCount(of task: PruneTask) -> Int64 { 2_000 }
        func recency(of task: PruneTask, enough: Int64?) -> Recency? { nil }
        func newestTimes(_ count: Int, of rule: RetentionRule, notAfter date: Date) -> [Date] { [date] }
        func cameBack(of task: PruneTask) -> Int64? { nil }
        func freeSpace() -> FreeSpace? { space }
        func disturbance() -> String? { nil }
        func knownSchema() -> String? { nil }
        func schema() -> StoreSchema { StoreSchema() }
        func size() -> FreeSpace { space ?? FreeSpace(bytes: 4_096, freeBytes: 0, unitBytes: 4_096) }
        func verifyIntegrity() {}
        func close() {}
    }

    private struct Worker: WorkerContext {
        let store: FakeStore

        func begin(
            _ task: PruneTask, accessPath: AccessPath?, tellsRows: Bool
        ) -> (census: Census, accessPath: AccessPath, rows: RowsFingerprint?) {
            let census = Census(expired: 1_000, implausible: 0)
            return (census, accessPath ?? .walk, tellsRows ? RowsFingerprint(rows: census.expired) : nil)
        }
        func othersCommits() -> Int { store.othersCommits() }
        func maintain() {}
        func close() {}
        func finishReclaim() {}

        func deleteBatch(rows: Int) throws(StoreError) -> BatchResult {
            try answer(store.answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }, rows)
        }

        func shortfall() -> StoreError? {
            store.shortfall.map {
                StoreError($0, operation: "delete", place: store.definition.place, cause: "still there")
            }
        }

        func failureOfSlowRows(_ count: Int) -> StoreError {
            StoreError(
                .tooSlow, operation: "delete a row", place: store.definition.place, cause: "\(count) rows")
        }

        func reclaim(units: Int, within limit: Duration) throws(StoreError) -> ReclaimStep {
            let step = try answer(store.steps.withLock { $0.isEmpty ? nil : $0.removeFirst() }, units)
            return ReclaimStep(bytes: step.deleted * (store.space?.unitBytes ?? 1), work: step.work)
        }

        private func answer(_ answer: Answer?, _ size: Int) throws(StoreError) -> BatchResult {
            store.asked.withLock { $0.append(size) }
            switch answer ?? .deletes(0, isLast: true) {
            case .fails(let kind):
                throw StoreError(kind, operation: "delete", place: store.definition.place, cause: "as told")
            case .deletesSlowly(let dependents, let effort):
                return BatchResult(
                    deleted: Int64(size), dependentsDeleted: dependents, visited: size,
                    lockTime: .milliseconds(10) + .milliseconds(30) * size,
                    commit: .milliseconds(10), effort: effort, isAlone: true, isLast: false)
            case .deletes(let count, let isLast):
                return BatchResult(
                    deleted: count, visited: size, lockTime: .microseconds(100),
                    isAlone: true, isLast: isLast)
            }
        }
    }
}
