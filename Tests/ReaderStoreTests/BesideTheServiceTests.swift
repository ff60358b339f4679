import TestSupport
import Foundation
import GRDB
import ReaderStore
import Testing

/// The library in this process, and the service's program in others.
@Suite struct BesideTheServiceTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @discardableResult
    private func prune() throws -> EndedProgram {
        try Program.pruned(in: directory.path)
    }

    @Test("the service makes the store, and the app goes on with it")
    func serviceFirst() throws {
        let result = try prune()
        #expect(result.status == 0, "\(result)")
        let store = try ReaderStore(at: directory.store)
        try store.viewContext.write { _ = try $0.addItem(at: $0.now) }
        #expect(try store.viewContext.read { try $0.items().count } == 1)
    }

    @Test("the app makes the store, and the service prunes it while it is open")
    func appFirst() async throws {
        let store = try ReaderStore(at: directory.store)
        try store.viewContext.write { store in
            for days in [1.0, 29, 31, 40] {
                try store.save(
                    ReadRecord(id: "\(days)", createdAt: store.now.addingTimeInterval(-days * 86_400)))
            }
        }
        let stream = try store.viewContext.changes()
        let result = try prune()
        #expect(result.status == 0, "\(result)")
        #expect(try store.viewContext.read { try $0.allReadRecords().map(\.id) } == ["1.0", "29.0"])
        let told = try #require(await changes(of: stream) { rows(of: .readRecord, after: $0) == 2 })
        #expect(told.compactMap { $0.tables[.readRecord]?.before }.first == 4)
    }

    @Test("app and service write side by side, and neither meets an error")
    func sideBySide() async throws {
        let store = try ReaderStore(at: directory.store)
        let path = directory.path
        let isDone = Shared(false)
        let runs = Shared(0)
        let written = try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask {
                defer { isDone.update { $0 = true } }
                for _ in 0..<12 {
                    let result = try await offThePool {
                        try Program.pruned(in: path)
                    }
                    try #require(result.status == 0, "\(result)")
                    runs.update { $0 += 1 }
                }
                return 0
            }
            group.addTask {
                try await offThePool {
                    var round = 0
                    while !isDone.value {
                        round += 1
                        let (id, days) = (Int64(round), Double(round % 60))
                        try store.viewContext.write { store in
                            let time = store.now.addingTimeInterval(-days * 86_400 - 600)
                            try store.add(Tweet(id: id, createdAt: time, text: "t", user: .ann))
                            if round % 2 == 0 { try store.markRead(id) }
                            try store.addItem(at: store.now.addingTimeInterval(-days * 4 * 86_400))
                            let articles = [Article(title: "t", url: "u")]
                            try store.replaceFeed(ofTab: id % 9, with: articles, lifetime: days - 30)
                        }
                        _ = try store.viewContext.read { try $0.unread().count + $0.readRecords().count }
                    }
                    return round
                }
            }
            group.addTask {
                let context = try store.newBackgroundContext()
                while !isDone.value {
                    let request = BatchDelete(
                        .item, where: .before(Date(timeIntervalSinceNow: -86_400 * 190)))
                    _ = try await context.perform { try $0.execute(request) }
                }
                return 0
            }
            return try await group.reduce(0, +)
        }
        #expect(runs.value == 12 && written > 12)
        let problems = try database(at: directory.store) { db in
            try String.fetchAll(db, sql: "PRAGMA integrity_check")
                + String.fetchAll(db, sql: "PRAGMA foreign_key_check")
        }
        #expect(problems == ["ok"])
    }
}

extension Program {
    /// A run on the state in `directory`.
    fileprivate static func pruned(in directory: String) throws -> EndedProgram {
        var program = Program.pruned
        program.arguments = ["--run-now", "--state-dir", directory]
        return try program.run()
    }
}
