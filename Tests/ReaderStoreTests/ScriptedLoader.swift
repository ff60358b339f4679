import ReaderStore
import Synchronization

/// A loader that does what the test says, one step for each load.
final class ScriptedLoader: FeedLoader {
    typealias Step = @Sendable (FeedValidators?) async throws -> LoadedFeed

    struct Failure: Error {}

    private let steps: Mutex<[Step]>
    private let asked = Mutex<[FeedValidators?]>([])

    init(_ steps: Step...) { self.steps = Mutex(steps) }

    /// What came with each load.
    var validators: [FeedValidators?] { asked.withLock { $0 } }

    func load(tab: Int64, since validators: FeedValidators?) async throws -> LoadedFeed {
        asked.withLock { $0.append(validators) }
        let step = steps.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        guard let step else { throw Failure() }
        return try await step(validators)
    }

    /// A step that brings articles.
    static func brings(_ titles: String..., etag: String? = nil) -> Step {
        { _ in .articles(titles.map { Article(title: $0, url: "u") }, FeedValidators(etag: etag)) }
    }

    /// A step that fails.
    static let fails: Step = { _ in throw Failure() }
    /// A step that says that nothing has changed.
    static let isNotModified: Step = { _ in .notModified }
}

/// Where tasks wait until the test lets them go on.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            defer { (state.isOpen, state.waiting) = (true, []) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
