import TestSupport
import Foundation
import Testing

@testable import ReaderStore

@Suite struct ObservationTests {
    let my: StoreAtATime

    init() throws { my = try StoreAtATime() }

    private func addItem() throws { try my.view.write { _ = try $0.addItem(at: $0.now) } }

    /// What SQL must be to add items in another process.
    private static func inserting(_ count: Int) -> String {
        "INSERT INTO item (timestamp) SELECT 1700000000 FROM generate_series(1, \(count));"
    }

    private func expectItem(_ stream: AsyncStream<StoreChange>, _ count: Int = 1) async throws {
        let told = try #require(await changes(of: stream) { rows(of: .item, after: $0) == count })
        #expect(rows(of: .item, after: told) == count)
    }

    @Test("what the background context changes is told, with the rows before and after")
    func backgroundChange() async throws {
        try addItem()
        let stream = try my.view.changes()
        try await my.store.newBackgroundContext().perform { for _ in 0..<3 { try $0.addItem(at: $0.now) } }
        let told = try #require(await changes(of: stream) { _ in true })
        #expect(told.map(\.tables) == [[.item: StoreChange.Rows(before: 1, after: 4)]])
        #expect(told[0].deleted == [:])
    }

    @Test("what another process changes is told")
    func otherProcess() async throws {
        let stream = try my.view.changes()
        try Program.sqlite(my.directory.store, Self.inserting(2))
        try await expectItem(stream, 2)
    }

    @Test("what the view context writes itself is told")
    func ownChange() async throws {
        let stream = try my.view.changes()
        try addItem()
        try await expectItem(stream)
    }

    @Test("that rows only became others is told, without counts")
    func rowsBecameOthers() async throws {
        try addItem()
        let stream = try my.view.changes()
        try Program.sqlite(my.directory.store, "UPDATE item SET timestamp = 1700000001")
        let told = try #require(await changes(of: stream) { _ in true })
        #expect(told == [StoreChange(tables: [:], deleted: [:])])
    }

    @Test("processes come and go, and what the last one changes is told as well")
    func otherProcessesComeAndGo() async throws {
        let stream = try my.view.changes()
        for count in 1...5 {
            try Program.sqlite(my.directory.store, Self.inserting(1))
            try await expectItem(stream, count)
        }
    }

    @Test("a commit is told although the disk acknowledges it long after it was written")
    func slowDisk() async throws {
        let stream = try my.view.changes()
        let slow = [
            "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-e",
            "inject=fsync,fdatasync:delay_exit=700000",
        ]
        try Program.sqlite(
            my.directory.store, "PRAGMA synchronous = FULL;" + Self.inserting(1), through: slow)
        try await expectItem(stream)
    }

    @Test("a change that comes while commits are still awaited is not told late")
    func changeDuringLongWait() async throws {
        let stream = try my.view.changes()
        // Written and taken back: the kernel tells, and nothing has changed.
        try Program.sqlite(
            my.directory.store,
            "PRAGMA cache_size = 5; BEGIN; \(Self.inserting(200_000)) ROLLBACK;" + Self.inserting(1))
        try await expectItem(stream)
    }

    @Test("what changes nothing is not told")
    func nothingChanged() async throws {
        try addItem()
        let stream = try my.view.changes()
        let id = "a"
        for _ in 0..<3 {
            try my.view.write { _ = try $0.deleteReadRecord(id) }
            try? my.view.write { store -> Void in
                try store.addItem(at: store.now)
                throw ScriptedLoader.Failure()
            }
            my.view.merge(BatchDeleteResult(table: .item, count: 0, ids: []))
            my.view.merge(BatchDeleteResult(table: .item, count: 3, ids: nil))
            _ = try my.view.read { try $0.items() }
        }
        try Program.sqlite(my.directory.store, "SELECT * FROM item")
        try Program.sqlite(my.directory.store, Self.inserting(1))
        let told = try #require(await changes(of: stream) { _ in true })
        #expect(told.map(\.tables) == [[.item: StoreChange.Rows(before: 1, after: 2)]])
    }

    @Test("what changed before somebody listened is not told")
    func onlyFromNowOn() async throws {
        try addItem()
        let stream = try my.view.changes()
        try addItem()
        let told = try #require(await changes(of: stream) { _ in true })
        #expect(told.first?.tables == [.item: StoreChange.Rows(before: 1, after: 2)])
    }

    @Test("a fast writer's changes come as few, none of them twice")
    func coalesced() async throws {
        let stream = try my.view.changes()
        let commits = 2_000
        try Program.sqlite(
            my.directory.store,
            "PRAGMA synchronous = OFF;"
                + String(repeating: "INSERT INTO item (timestamp) VALUES (1700000000);", count: commits))
        let told = try #require(await changes(of: stream) { rows(of: .item, after: $0) == commits })
        #expect(told.count < commits / 10)
        let ends = told.compactMap { $0.tables[.item] }
        #expect(zip(ends, ends.dropFirst()).allSatisfy { $0.after == $1.before && $1.before < $1.after })
    }

    @Test("all who listen are told, and one who stops does not stop the others")
    func twoListeners() async throws {
        var first: AsyncStream<StoreChange>? = try my.view.changes()
        let second = try my.view.changes()
        try addItem()
        try await expectItem(try #require(first))
        try await expectItem(second)
        first = nil
        try addItem()
        try await expectItem(second, 2)
    }

    @Test("who has not listened for a while is told everything at once")
    func slowListener() async throws {
        let (slow, quick) = (try my.view.changes(), try my.view.changes())
        for count in 1...3 {
            try addItem()
            try await expectItem(quick, count)
        }
        let told = try #require(await changes(of: slow) { _ in true })
        #expect(told.map(\.tables) == [[.item: StoreChange.Rows(before: 0, after: 3)]])
    }

    @Test("two changes as one say what was before the first and is after the second")
    func changesAsOne() {
        let first = StoreChange(
            tables: [.item: .init(before: 5, after: 2), .feed: .init(before: 1, after: 2)],
            deleted: [.item: ["1", "2", "3"]])
        let second = StoreChange(
            tables: [.item: .init(before: 2, after: 4), .feed: .init(before: 2, after: 1)],
            deleted: [.item: ["4"], .tweet: ["5"]])
        #expect(
            first.followed(by: second)
                == StoreChange(
                    tables: [.item: .init(before: 5, after: 4)],
                    deleted: [.item: ["1", "2", "3", "4"], .tweet: ["5"]]))
    }

    @Test("who listens later is not told what changed before, though others are still to be told")
    func laterListener() async throws {
        let first = try my.view.changes()
        for count in 1...5 {
            try addItem()
            let second = try my.view.changes()
            try addItem()
            let told = try #require(await changes(of: second) { _ in true })
            #expect(
                told.map(\.tables) == [[.item: StoreChange.Rows(before: 2 * count - 1, after: 2 * count)]])
        }
        try await expectItem(first, 10)
    }

    @Test(
        "a stream ends when its store is no longer there",
        arguments: ["rm PATH", "mv PATH PATH.old", "cp PATH PATH.new; mv PATH.new PATH", "mv DIR DIR.old"])
    func movedStore(command: String) async throws {
        let stream = try my.view.changes()
        let line = command.replacing("PATH", with: my.directory.store).replacing(
            "DIR", with: my.directory.path)
        defer { try? FileManager.default.removeItem(atPath: my.directory.path + ".old") }
        #expect(try Program(["sh", "-c", line]).run().status == 0)
        _ = try #require(await changes(of: stream) { _ in false }, "it goes on")
    }

    @Test("when the last listener has gone, nothing of the observation is left")
    func lastListenerGone() async throws {
        var stream: AsyncStream<StoreChange>? = try my.view.changes()
        weak let observation = my.view.observing.withLock { $0.observation }
        try addItem()
        try await expectItem(try #require(stream))
        #expect(observation != nil)
        stream = nil
        // A look that is just going on keeps it a moment longer.
        let deadline = ContinuousClock.now + .seconds(20)
        while observation != nil, ContinuousClock.now < deadline { await Task.yield() }
        #expect(observation == nil)
        try addItem()
        let again = try my.view.changes()
        try addItem()
        try await expectItem(again, 3)
    }

    @Test("a listener keeps the observation, though the store's object is gone")
    func storeReleased() async throws {
        let path = my.directory.store
        let stream = try ReaderStore(at: path).viewContext.changes()
        try addItem()
        try await expectItem(stream)
    }

    @Test("closing ends all streams, and begins no new one")
    func closingEndsStreams() async throws {
        let streams = try (0..<2).map { _ in try my.view.changes() }
        try my.store.close()
        for stream in streams {
            let told = try #require(await changes(of: stream) { _ in false }, "it goes on")
            #expect(told == [])
        }
        #expect(my.failure { _ = try my.view.changes() }?.kind == .misuse)
    }

    @Test("closing while the store changes, and others begin to listen, ends all streams", arguments: 1...20)
    func closingMeanwhile(round: Int) async throws {
        let my = my
        let first = try my.view.changes()
        let context = try my.store.newBackgroundContext()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while let stream = try? my.view.changes() {
                    guard await changes(of: stream, until: { !$0.isEmpty }) != nil else {
                        throw ScriptedLoader.Failure()
                    }
                }
            }
            group.addTask {
                for _ in 0..<round { try await context.perform { _ = try $0.addItem(at: $0.now) } }
            }
            group.addTask { try my.store.close() }
            try await group.waitForAll()
        }
        _ = try #require(await changes(of: first) { _ in false })
    }

    @Test("a merged deletion is told with its ids, once, however it became known")
    func mergedDeletion() async throws {
        for _ in 0..<3 { try addItem() }
        let stream = try my.view.changes()
        let request = BatchDelete(.item, where: .ids(["1", "3"]), returning: .ids)
        let result = try await my.store.newBackgroundContext().perform { try $0.execute(request) }
        my.view.merge(result)
        let told = try #require(
            await changes(of: stream) { told in
                rows(of: .item, after: told) == 1 && told.contains { !$0.deleted.isEmpty }
            })
        #expect(told.compactMap { $0.deleted[.item].map(Set.init) } == [["1", "3"]])
        #expect(told.compactMap { $0.tables[.item] } == [StoreChange.Rows(before: 3, after: 1)])
    }
}
