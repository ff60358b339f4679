import GRDB
import TestSupport
import Testing

@testable import PruneBenchmark

@Suite struct ArticleTests {
    private static let recipe = StoreRecipe(schema: .articles, records: 1_000)
    private let directory: TemporaryDirectory
    private let copy: StoreCopy

    init() throws {
        directory = try TemporaryDirectory()
        copy = StoreCopy(directory: directory.path, recipe: Self.recipe)
        try StoreFilling(recipe: Self.recipe).make(at: copy.path)
    }

    private func check(_ rule: ArticleRule) -> StoreCheck {
        StoreCheck(copy: copy, job: Job(recipe: Self.recipe, expiring: .articles(rule)))
    }

    @Test("a new store has all articles, in WAL mode, each kind of them among the old ones")
    func filling() throws {
        #expect(try directory.entries == ["articles.sqlite"])
        #expect(try copy.query("PRAGMA journal_mode") == "wal")
        for rule in ArticleRule.allCases {
            try check(rule).expectDeleted(0, all: false, inserted: nil)
        }
        try check(.deleted).expectIntegrity()
        let kept = [
            "NOT read", "starred", "id IN (SELECT article FROM label)",
            "id IN (SELECT article FROM bookmark)",
        ]
        for kind in kept {
            let old =
                "SELECT count(*) > 0 FROM article WHERE received < \(ExpiredShare.half.cutoff) AND \(kind)"
            #expect(try copy.query(old) == "1", "\(kind)")
        }
    }

    @Test("an index on feed and time is there where the recipe has it")
    func feedIndex() throws {
        var recipe = Self.recipe
        recipe.hasFeedIndex = true
        let place = try TemporaryDirectory()
        let indexed = StoreCopy(directory: place.path, recipe: recipe)
        try StoreFilling(recipe: recipe).make(at: indexed.path)
        let indexes = "SELECT count(*) FROM pragma_index_list('article')"
        #expect(try copy.query(indexes) == "1")
        #expect(try indexed.query(indexes) == "2")
        #expect(recipe.name != Self.recipe.name)
    }

    @Test(
        "the one statement leaves what its rule must leave",
        arguments: zip(ArticleRule.allCases, [410, 410, 400]))
    func statement(_ rule: ArticleRule, expired: Int) throws {
        let check = check(rule)
        #expect(check.job.expired == expired)
        _ = try copy.query(check.job.statement)
        try check.expectDeleted(expired, all: true, inserted: nil)
        #expect(throws: BenchmarkError.self) { try check.expectDeleted(0, all: false, inserted: nil) }
    }

    @Test(
        "an article that is gone, marked, changed or new and should not be is seen",
        arguments: ArticleRule.allCases,
        [
            "DELETE FROM article WHERE id = 1000", "UPDATE article SET deleted = 1 WHERE id = 1000",
            "UPDATE article SET starred = 1 WHERE id = 1000", "DELETE FROM label WHERE article = 4",
            "DELETE FROM bookmark WHERE article = 8",
            "INSERT INTO article (id, feed_id, read, starred) VALUES (3000, 0, 0, 0)",
        ])
    func wrongArticles(_ rule: ArticleRule, wrong: String) throws {
        let check = check(rule)
        _ = try copy.query("\(check.job.statement) \(wrong)")
        #expect(throws: BenchmarkError.self) {
            try check.expectDeleted(check.job.expired, all: true, inserted: nil)
        }
    }

    @Test("an article that the app has just fetched goes by no rule and is counted")
    func fresh() throws {
        let store = try StoreRecipe.Schema.articles.open(at: copy.path)
        try store.write { db in
            for index in 0..<3 {
                try db.execute(
                    sql: Article.insertion,
                    arguments: Article.fresh(index, of: Self.recipe, at: Timeline.end + 1))
            }
        }
        try store.close()
        for rule in ArticleRule.allCases {
            try check(rule).expectDeleted(0, all: false, inserted: 3)
            #expect(throws: BenchmarkError.self) { try check(rule).expectDeleted(0, all: false, inserted: 2) }
        }
        let deletion = check(.oldestOfFeed)
        _ = try copy.query(deletion.job.statement)
        try deletion.expectDeleted(deletion.job.expired, all: true, inserted: 3)
    }
}
