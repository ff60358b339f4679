import Foundation
import GRDB
import Testing

@testable import ReaderStore

@Suite struct BatchDeleteTests {
    let my: StoreAtATime

    init() throws { my = try StoreAtATime() }

    /// Four rows in a table, 100, 200, 300 and 400 seconds old, with the ids 1 to 4.
    private func fill(_ table: ReaderTable) throws {
        let times = (1...4).map { Int64(my.time(TimeInterval(-100 * $0)).timeIntervalSince1970) }
        try database(at: my.directory.store) { db in
            try db.execute(sql: "INSERT INTO user VALUES (1, 'Ann', 'ann', 'p')")
            for (id, time) in zip(1..., times) {
                let values =
                    switch table {
                    case .readRecord: "'\(id)', \(time)"
                    case .feed: "\(id), 1700000000, \(time)"
                    case .tweet: "\(id), \(time), 'text', 1, 0"
                    case .item: "\(id), \(time)"
                    }
                try db.execute(sql: "INSERT INTO \(table.rawValue) VALUES (\(values))")
                if table == .feed { try db.execute(sql: "INSERT INTO article VALUES (\(id), 0, 't', 'u')") }
            }
        }
    }

    private func left(in table: ReaderTable) throws -> [String] {
        let ids = try database(at: my.directory.store) { db in
            let id = table == .feed ? "tab_id" : "id"
            return try String.fetchAll(
                db, sql: "SELECT CAST(\(id) AS TEXT) FROM \(table.rawValue) ORDER BY 1")
        }
        return ids
    }

    static let everyTable: [ReaderTable] = [.readRecord, .feed, .tweet, .item]

    @Test("every table that there is, is tried here")
    func allTables() { #expect(Set(Self.everyTable) == Set(ReaderTable.allCases)) }

    @Test(
        "the rows go that the predicate names, and no others; the answer is what was asked for",
        arguments: everyTable, [BatchDelete.ResultType.status, .count, .ids])
    func predicates(table: ReaderTable, resultType: BatchDelete.ResultType) async throws {
        let context = try my.store.newBackgroundContext()
        for (predicate, gone) in [
            (BatchDelete.Predicate.all, ["1", "2", "3", "4"]), (.before(my.time(-200)), ["3", "4"]),
            (.before(my.time(-199)), ["2", "3", "4"]), (.before(my.time(-400)), []),
            (.ids(["4", "2", "2", "99"]), ["2", "4"]), (.ids([]), []),
        ] {
            _ = try await context.perform { try $0.execute(BatchDelete(table, where: .all)) }
            try await my.store.newBackgroundContext().perform {
                _ = try $0.execute(BatchDelete(.tweet, where: .all))
            }
            try database(at: my.directory.store) { try $0.execute(sql: "DELETE FROM user") }
            try fill(table)
            let request = BatchDelete(table, where: predicate, returning: resultType)
            let result = try await context.perform { try $0.execute(request) }
            #expect(result.table == table)
            #expect(result.count == (resultType == .status ? nil : gone.count))
            #expect(result.ids?.sorted() == (resultType == .ids ? gone : nil))
            #expect(try left(in: table) == ["1", "2", "3", "4"].filter { !gone.contains($0) })
        }
    }

    @Test("a feed's articles go with it, and are not counted")
    func articlesGoAlong() async throws {
        try fill(.feed)
        let request = BatchDelete(.feed, where: .ids(["1", "2"]))
        let result = try await my.store.newBackgroundContext().perform { try $0.execute(request) }
        #expect(result.count == 2)
        let tabs = try database(at: my.directory.store) { db in
            try Int64.fetchAll(db, sql: "SELECT tab_id FROM article ORDER BY 1")
        }
        #expect(tabs == [3, 4])
    }

    @Test(
        "what is no id of the table names none of its rows", arguments: everyTable,
        [
            "", "+1", "01", " 1", "1 ", "1.0", "1e0", "0x1", "1\0", "1\0002", "9223372036854775808",
            "1' OR 1", "١",
        ])
    func noIDs(table: ReaderTable, id: String) throws {
        try fill(table)
        let request = BatchDelete(table, where: .ids([id]), returning: .ids)
        #expect(try my.view.write { try $0.execute(request) }.ids == [])
        #expect(try left(in: table).count == 4)
    }

    @Test("a time that is none deletes nothing, as does one before all times", arguments: everyTable)
    func noTime(table: ReaderTable) throws {
        try fill(table)
        for time in [
            Date(timeIntervalSince1970: .nan), .distantPast, Date(timeIntervalSince1970: -.infinity),
        ] {
            let request = BatchDelete(table, where: .before(time))
            #expect(try my.view.write { try $0.execute(request) }.count == 0)
        }
        let request = BatchDelete(table, where: .before(Date(timeIntervalSince1970: .infinity)))
        #expect(try my.view.write { try $0.execute(request) }.count == 4)
    }

    @Test("part of a second keeps what is of that second")
    func partOfASecond() throws {
        try fill(.item)
        let request = BatchDelete(.item, where: .before(my.time(-199.5)), returning: .ids)
        #expect(try my.view.write { try $0.execute(request) }.ids?.sorted() == ["3", "4"])
    }

    @Test("a context that reads deletes nothing, and says what it is")
    func readingDeletesNothing() throws {
        try fill(.item)
        for resultType: BatchDelete.ResultType in [.status, .count, .ids] {
            let request = BatchDelete(.item, where: .all, returning: resultType)
            let error = my.failure { _ = try my.view.read { try $0.execute(request) } }
            #expect(error?.kind == .misuse)
        }
        #expect(try left(in: .item).count == 4)
    }

    @Test(
        "a deletion is one statement, which reads no row out but for its id",
        arguments: everyTable, [BatchDelete.ResultType.status, .count, .ids])
    func oneStatement(table: ReaderTable, resultType: BatchDelete.ResultType) async throws {
        try fill(table)
        let statements = try await my.store.newBackgroundContext().perform { store in
            let traced = Traced()
            try store.doing("trace") { $0.trace { traced.sql.append($0.description) } }
            try store.execute(BatchDelete(table, where: .all, returning: resultType))
            try store.doing("trace") { $0.trace(options: []) }
            return traced.sql
        }
        let id = table == .feed ? "tab_id" : "id"
        let returning = resultType == .ids ? " RETURNING CAST(\(id) AS TEXT)" : ""
        // SQLite names it once more for each row that goes along by a foreign key.
        #expect(Set(statements) == ["DELETE FROM \(table.rawValue) WHERE 1\(returning)"])
    }

    private final class Traced {
        var sql: [String] = []
    }

    @Test("a deletion whose transaction throws afterwards has deleted nothing")
    func deletionIsRolledBack() async throws {
        try fill(.item)
        let context = try my.store.newBackgroundContext()
        await #expect(throws: ScriptedLoader.Failure.self) {
            try await context.perform { store -> Void in
                try store.execute(BatchDelete(.item, where: .all))
                throw ScriptedLoader.Failure()
            }
        }
        #expect(try left(in: .item).count == 4)
    }
}
