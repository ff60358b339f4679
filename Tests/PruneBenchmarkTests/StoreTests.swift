import Foundation
import TestSupport
import Testing

@testable import PruneBenchmark

@Suite struct StoreTests {
    @Test("no time lies near a cutoff, and as many before each as the share says")
    func times() {
        let records = 10_000
        let timeline = Timeline(records: records)
        let times = (0..<records).map { timeline.milliseconds($0) / 1_000 }
        #expect(times == times.sorted())
        for share in ExpiredShare.allCases {
            #expect(times.count { $0 < share.cutoff } == share.rows(of: records))
            #expect(!times.contains { abs($0 - share.cutoff) < 3_000 })
        }
    }

    @Test("ids that follow time are in its order as text; random ids are UUIDs, in none")
    func ids() {
        let timeline = Timeline(records: 1_000)
        func ids(_ kind: RecordIDs) -> [String] {
            (0..<1_000).map { kind.id($0, at: timeline.milliseconds($0)) }
        }
        #expect(ids(.followingTime) == ids(.followingTime).sorted())
        #expect(Set(ids(.random)).count == 1_000)
        #expect(ids(.random) != ids(.random).sorted())
        #expect(ids(.random).allSatisfy { UUID(uuidString: $0) != nil && $0.dropFirst(14).first == "4" })
    }

    @Test(
        "a store has the rows of its recipe, in WAL mode, and no log",
        arguments: [StoreRecipe.Schema.reader, .usual], RecordIDs.allCases)
    func filling(schema: StoreRecipe.Schema, ids: RecordIDs) throws {
        let directory = try TemporaryDirectory()
        let recipe = StoreRecipe(schema: schema, ids: ids, records: 1_000, feeds: 10)
        let copy = StoreCopy(directory: directory.path, recipe: recipe)
        try StoreFilling(recipe: recipe).make(at: copy.path)
        #expect(try directory.entries == [StoreCopy.fileName(schema)])
        #expect(try copy.query("PRAGMA journal_mode") == "wal")
        for share in ExpiredShare.allCases {
            // Nothing is deleted yet.
            let check = StoreCheck(copy: copy, job: Job(recipe: recipe, expiring: .readRecords(share)))
            try check.expectDeleted(0, all: false, inserted: nil)
            try check.expectIntegrity()
        }
        if schema == .reader {
            let feeds = StoreCheck(copy: copy, job: Job(recipe: recipe, expiring: .feeds))
            try feeds.expectDeleted(0, all: false, inserted: nil)
        }
    }

    @Test("a store has the journal of its recipe", arguments: StoreRecipe.Journal.allCases)
    func journal(_ journal: StoreRecipe.Journal) throws {
        let directory = try TemporaryDirectory()
        let recipe = StoreRecipe(schema: .usual, ids: .followingTime, records: 100, journal: journal)
        let copy = StoreCopy(directory: directory.path, recipe: recipe)
        try StoreFilling(recipe: recipe).make(at: copy.path)
        #expect(try copy.query("PRAGMA journal_mode") == journal.rawValue)
        #expect(try directory.entries == [StoreCopy.fileName(.usual)])
    }

    @Test(
        "a store in no order has the same records as one in order, and keys that say nothing of their times")
    func noOrder() throws {
        let directory = try TemporaryDirectory()
        func times(isInOrder: Bool) throws -> [String.SubSequence] {
            let recipe = StoreRecipe(
                schema: .usual, ids: .random, records: 1_000, isInOrder: isInOrder, feeds: 10)
            let copy = StoreCopy(directory: directory.path + "/\(isInOrder)", recipe: recipe)
            try FileManager.default.createDirectory(
                atPath: directory.path + "/\(isInOrder)", withIntermediateDirectories: false)
            try StoreFilling(recipe: recipe).make(at: copy.path)
            return try copy.query("SELECT id, created_at FROM read_record ORDER BY rowid")
                .split(separator: "\n")
        }
        let (ordered, mixed) = (try times(isInOrder: true), try times(isInOrder: false))
        #expect(mixed != ordered)
        #expect(mixed.sorted() == ordered.sorted())
    }

    @Test("old items are expired and all others are kept")
    func oldItems() throws {
        let directory = try TemporaryDirectory()
        let recipe = StoreRecipe(
            schema: .reader, ids: .followingTime, records: 1_000, feeds: 10, oldItems: 300)
        let copy = StoreCopy(directory: directory.path, recipe: recipe)
        try StoreFilling(recipe: recipe).make(at: copy.path)
        #expect(try copy.query("SELECT count(*) FROM item") == "350")
        let job = Job(recipe: recipe, expiring: .items)
        #expect(job.expired == 300)
        try StoreCheck(copy: copy, job: job).expectDeleted(0, all: false, inserted: nil)
    }

    @Test("a tab that is asked for as fresh has a feed that does not expire")
    func freshTabs() throws {
        let directory = try TemporaryDirectory()
        let recipe = StoreRecipe(schema: .reader, ids: .followingTime, records: 10, feeds: 10)
        let copy = StoreCopy(directory: directory.path, recipe: recipe)
        try StoreFilling(recipe: recipe).make(at: copy.path)
        let fresh = try copy.query(
            "SELECT tab_id FROM feed WHERE expires_at > \(Timeline.end) ORDER BY tab_id")
        #expect(fresh.split(separator: "\n").map { Int64($0) } == (0..<5).map(StoreRecipe.freshTab))
    }

    @Test("a row too many or too few is seen")
    func wrongRows() throws {
        let directory = try TemporaryDirectory()
        let recipe = StoreRecipe(schema: .usual, ids: .followingTime, records: 1_000)
        let copy = StoreCopy(directory: directory.path, recipe: recipe)
        try StoreFilling(recipe: recipe).make(at: copy.path)
        let check = StoreCheck(copy: copy, job: Job(recipe: recipe, expiring: .readRecords(.half)))
        let cutoff = ExpiredShare.half.cutoff
        _ = try copy.query("DELETE FROM read_record WHERE created_at < \(cutoff)")
        try check.expectDeleted(500, all: true, inserted: nil)
        #expect(throws: BenchmarkError.self) { try check.expectDeleted(499, all: false, inserted: nil) }
        _ = try copy.query("DELETE FROM read_record WHERE id = (SELECT max(id) FROM read_record)")
        #expect(throws: BenchmarkError.self) { try check.expectDeleted(500, all: true, inserted: nil) }
    }
}
