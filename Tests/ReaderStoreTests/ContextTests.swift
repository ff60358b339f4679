import TestSupport
import Foundation
import ReaderStore
import Testing

@Suite struct ContextTests {
    let my: StoreAtATime

    init() throws { my = try StoreAtATime() }

    private func items() throws -> Int { try my.view.read { try $0.items().count } }

    @Test("what the background context did is seen by the view context when perform returns")
    func performCommits() async throws {
        let context = try my.store.newBackgroundContext()
        let item = try await context.perform { try $0.addItem(at: $0.now) }
        #expect(item.timestamp == my.clock.now)
        #expect(try my.view.read { try $0.items() } == [item])
    }

    @Test("what perform's closure throws is thrown, and nothing of it stays")
    func performRollsBack() async throws {
        let context = try my.store.newBackgroundContext()
        await #expect(throws: ScriptedLoader.Failure.self) {
            try await context.perform { store -> Void in
                try store.addItem(at: store.now)
                throw ScriptedLoader.Failure()
            }
        }
        #expect(try items() == 0)
        _ = try await context.perform { try $0.addItem(at: $0.now) }
        #expect(try items() == 1)
    }

    @Test("what write's closure throws is thrown, and nothing of it stays")
    func writeRollsBack() throws {
        #expect(throws: ScriptedLoader.Failure.self) {
            try my.view.write { store -> Void in
                try store.addItem(at: store.now)
                throw ScriptedLoader.Failure()
            }
        }
        #expect(try items() == 0)
    }

    @Test("the view context reads one state while the background context writes another")
    func readingIsNotKeptWaiting() async throws {
        let (entered, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let context = try my.store.newBackgroundContext()
        async let added = context.perform { store in
            let item = try store.addItem(at: store.now)
            entered.signal()
            gate.wait()
            return item
        }
        try await offThePool { entered.wait() }
        #expect(try items() == 0)
        gate.signal()
        _ = try await added
        #expect(try items() == 1)
    }

    @Test("a context can be used from many threads at once")
    func manyThreads() throws {
        let outcomes = Outcomes()
        let view = my.view
        DispatchQueue.concurrentPerform(iterations: 40) { round in
            outcomes.add(
                Result {
                    if round % 2 == 0 {
                        try view.write { _ = try $0.addItem(at: $0.now) }
                    } else {
                        _ = try view.read { try $0.items() }
                    }
                })
        }
        for outcome in outcomes.all { try outcome.get() }
        #expect(try items() == 20)
    }

    @Test("a transaction within one of the same context is a typed error, not a crash")
    func nestedTransaction() throws {
        let view = my.view
        let store = my.store
        let nested: [(ViewContext) throws -> Void] = [
            { try $0.write { _ = try $0.addItem(at: $0.now) } }, { _ = try $0.read { try $0.items() } },
            { _ in try store.close() },
        ]
        for body in nested {
            #expect(my.failure { try view.write { _ in try body(view) } }?.kind == .misuse)
            #expect(my.failure { try view.read { _ in try body(view) } }?.kind == .misuse)
        }
        #expect(try items() == 0)
    }

    @Test("contexts of two stores can be used within each other, and even then the first not again")
    func nestedStores() throws {
        let other = try StoreAtATime()
        let item = try my.view.write { _ in try other.view.write { try $0.addItem(at: $0.now) } }
        #expect(try other.view.read { try $0.items() } == [item])
        let error = my.failure {
            try my.view.read { _ in try other.view.read { _ in _ = try my.view.read { try $0.items() } } }
        }
        #expect(error?.kind == .misuse)
    }

    @Test("after closing, reading, writing and closing again are no crash")
    func useAfterClose() throws {
        try my.store.close()
        try my.store.close()
        for body: (ViewContext) throws -> Void in [
            { _ = try $0.read { try $0.items() } }, { try $0.write { _ = try $0.addItem(at: $0.now) } },
        ] {
            let error = my.failure { try body(my.view) }
            #expect(error?.kind == .misuse)
            #expect(error?.cause == "the store was closed")
        }
    }

    @Test("closing waits for the transaction that is going on; those after it are told", arguments: 1...10)
    func closingWhileUsed(round: Int) async throws {
        let my = my
        let added = Shared(0)
        try await withThrowingTaskGroup(of: ReaderStoreError?.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    try await offThePool {
                        my.failure {
                            while true {
                                try my.view.write { _ = try $0.addItem(at: $0.now) }
                                added.update { $0 += 1 }
                            }
                        }
                    }
                }
            }
            while added.value < round { await Task.yield() }
            try my.store.close()
            for try await error in group { #expect(error?.kind == .misuse) }
        }
        let again = try ReaderStore(at: my.directory.store)
        #expect(try again.viewContext.read { try $0.items().count } == added.value)
    }

    @Test(
        "a store that is no longer where it was opened is a typed error: nothing is written where nobody looks",
        arguments: ["rm PATH", "mv PATH PATH.old", "cp PATH PATH.new; mv PATH.new PATH", "mv DIR DIR.old"])
    func movedStore(command: String) async throws {
        let context = try my.store.newBackgroundContext()
        let path = my.directory.store
        let line = command.replacing("PATH", with: path).replacing("DIR", with: my.directory.path)
        defer { try? FileManager.default.removeItem(atPath: my.directory.path + ".old") }
        #expect(try Program(["sh", "-c", line]).run().status == 0)
        #expect(my.failure { try my.view.write { _ = try $0.addItem(at: $0.now) } }?.kind == .moved)
        #expect(my.failure { _ = try my.view.read { try $0.items() } }?.kind == .moved)
        let error = await #expect(throws: ReaderStoreError.self) {
            try await context.perform { _ = try $0.addItem(at: $0.now) }
        }
        #expect(error?.kind == .moved)
    }

    @Test("a background context outlives the store's closing, and its object")
    func backgroundOutlivesStore() async throws {
        let context = try ReaderStore(at: my.directory.store).newBackgroundContext()
        try my.store.close()
        _ = try await context.perform { try $0.addItem(at: $0.now) }
        let again = try ReaderStore(at: my.directory.store)
        #expect(try again.viewContext.read { try $0.items().count } == 1)
    }

    @Test(
        "a time that the store cannot hold is a typed error",
        arguments: [
            -62_135_769_600 as Double, 946_684_799, 253_402_300_800, 1_700_000_000_000, Double.infinity,
            -Double.infinity, Double.nan,
            Double.greatestFiniteMagnitude,
        ])
    func impossibleTime(seconds: Double) throws {
        let time = Date(timeIntervalSince1970: seconds)
        let tweet = Tweet(id: 1, createdAt: time, text: "", user: .ann)
        for body: (borrowing ReaderTransaction) throws -> Void in [
            { try $0.add(tweet) }, { _ = try $0.addItem(at: time) },
            { try $0.save(ReadRecord(id: "a", createdAt: time)) },
        ] {
            #expect(my.failure { try my.view.write(body) }?.kind == .invalid)
        }
        #expect(try items() == 0)
        #expect(try my.view.read { try $0.allReadRecords() } == [])
    }

    @Test("the first time that the store can hold and the last are kept, and any id is")
    func extremes() throws {
        let times = [946_684_800, 253_402_300_799].map { Date(timeIntervalSince1970: $0) }
        for (id, time) in zip([Int64.min, .max], times) {
            let tweet = Tweet(
                id: id, createdAt: time, text: "",
                user: User(
                    id: id, name: "", screenName: "", profileImageURL: ""))
            try my.view.write { try $0.add(tweet) }
            try my.view.write { try $0.setAddress("", ofTab: id) }
            #expect(try my.view.read { try $0.timeline().first } == tweet)
        }
        #expect(try my.view.write { try $0.markRead(.min) } == 1)
        #expect(try my.view.read { try $0.feed(ofTab: .max) } == nil)
    }

    @Test("a text with a NUL is a typed error")
    func impossibleText() throws {
        let bad = "a\0b"
        let tweet = Tweet(id: 1, createdAt: my.clock.now, text: bad, user: .ann)
        let user = User(id: 1, name: "Ann", screenName: bad, profileImageURL: "")
        for body: (borrowing ReaderTransaction) throws -> Void in [
            { try $0.add(tweet) }, { try $0.save(user) }, { try $0.setAddress(bad, ofTab: 1) },
        ] {
            let error = my.failure { try my.view.write(body) }
            #expect(error?.kind == .invalid)
            #expect(error?.description.contains("\0") == false)
        }
    }
}
