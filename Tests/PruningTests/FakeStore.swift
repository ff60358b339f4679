import Pruning
import Retention
import Synchronization

/// A store for what a real file does not do at will: each call takes the next answer of a script.
final class FakeStore: PrunableStore {
    let definition: StoreDefinition
    private let answers: Mutex<[Answer]>
    private let asked = Mutex<[Int]>([])

    /// What a batch does.
    enum Answer {
        case deletes(Int64, isLast: Bool)
        case fails(StoreError.Kind)
    }

    init(_ name: Name = "s", batches: [Answer]) {
        definition = StoreDefinition(name: name, path: "/fake/\(name)")
        answers = Mutex(batches)
    }

    /// The sizes of the batches that were asked for.
    var sizes: [Int] { asked.withLock { $0 } }

    func exists() -> Bool { true }
    func checkAccess() {}
    func claim() -> any StoreClaim { Claim() }
    func openView(_ control: RunControl) -> any ViewContext { View() }
    func openWorker(_ control: RunControl) -> any WorkerContext { Worker(store: self) }

    private struct Claim: StoreClaim {
        func release() {}
    }

    private struct View: ViewContext {
        func validate(_ rule: RetentionRule) {}
        func mayHaveExpired(_ task: PruneTask) -> Bool { true }
        func census(of task: PruneTask) -> Census { Census(expired: 1_000, implausible: 0) }
        func rowCount(of rule: RetentionRule) -> Int64 { 2_000 }
        func verifyIntegrity() {}
        func close() {}
    }

    private struct Worker: WorkerContext {
        let store: FakeStore

        func begin(_ task: PruneTask, plan: DeletePlan?) -> (census: Census, plan: DeletePlan) {
            (Census(expired: 1_000, implausible: 0), plan ?? .walk)
        }
        func maintainLog() {}
        func close() {}

        func deleteBatch(rows: Int) throws(StoreError) -> BatchResult {
            store.asked.withLock { $0.append(rows) }
            switch store.answers.withLock({ $0.isEmpty ? .deletes(0, isLast: true) : $0.removeFirst() }) {
            case .fails(let kind):
                throw StoreError(kind, operation: "delete", place: store.definition.path, cause: "as told")
            case .deletes(let count, let isLast):
                return BatchResult(
                    deleted: count, dependentsDeleted: 0, visited: rows, held: .milliseconds(5),
                    isAlone: true, isLast: isLast)
            }
        }
    }
}
