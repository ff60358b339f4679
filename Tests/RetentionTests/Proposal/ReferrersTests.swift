import Foundation
import Retention
import Testing

/// What other tables and a table's own name mean for a rule on it.
struct ReferrersTests {
    private static let now = Date(timeIntervalSince1970: 1_795_426_200)

    private static func column(
        _ name: String, isKey: Bool = false, refersTo: String? = nil,
        _ value: (Int) -> SketchedValue = { .integer(Int64($0)) }
    ) -> ColumnSketch {
        ColumnSketch(name: name, isKey: isKey, refersTo: refersTo, values: (0..<100).map(value))
    }

    private static let date = column("date") { .integer(1_795_426_000 - Int64($0) * 86_400) }

    private func proposal(
        _ name: String = "items", key: String = "id", references: [ReferenceSketch] = [], unseen: Int = 0,
        beside others: TableSketch...
    ) -> RuleProposal? {
        let table = TableSketch(
            name: name, rows: 5_000, columns: [Self.column(key, isKey: true), Self.date],
            references: references)
        let store = StoreSketch(tables: [table] + others, unseen: unseen, lacksLog: false)
        guard case .rule(let proposal) = TableProposal(for: table, in: store, at: Self.now) else {
            return nil
        }
        return proposal
    }

    private func table(_ name: String, _ columns: ColumnSketch...) -> TableSketch {
        TableSketch(name: name, rows: 10, columns: columns)
    }

    @Test("parts go with their row, marks keep it, and all other rows of others are a doubt")
    func foreignKeys() {
        let part = ReferenceSketch(table: "enclosure", column: "item", cascades: true)
        let proposed = proposal(
            references: [
                part, ReferenceSketch(table: "tag", column: "item", cascades: true),
                ReferenceSketch(table: "bookmark", column: "item", cascades: false),
                ReferenceSketch(table: "image", column: "item", cascades: false),
            ], beside: table("enclosure", Self.column("item")), table("image"))
        #expect(proposed?.dependents.map(\.value) == ["enclosure"])
        #expect(proposed?.keptBy.map(\.value) == ["bookmark.item", "image.item", "tag.item"])
        #expect(proposed?.doubts == [])
        for (reference, other) in [
            (part, table("enclosure", Self.column("listened"))),
            (ReferenceSketch(table: "posts", column: "item", cascades: true), table("posts")),
            (ReferenceSketch(table: "posts", column: "item", cascades: false), table("posts")),
            (ReferenceSketch(table: "items", column: "parent", cascades: false), table("posts")),
            (ReferenceSketch(table: "tag", column: "item", cascades: true, refersToKey: false), table("tag")),
            (ReferenceSketch(table: "statuses", column: "item", cascades: false), table("statuses")),
        ] {
            #expect(proposal(references: [reference], beside: other)?.doubts.count == 1, "\(reference)")
        }
    }

    @Test("a column that is called after the table may refer to it: marks keep the row, others are a doubt")
    func silentReferences() {
        for name in ["item_id", "items_id", "itemid", "idItem", "item", "items"] {
            #expect(proposal(beside: table("by", Self.column(name)))?.doubts.count == 1, "\(name)")
            let kept = proposal(beside: table("bookmarks", Self.column(name)))
            #expect(kept?.keptBy.map(\.value) == ["bookmarks.\(name)"] && kept?.doubts == [])
        }
        #expect(proposal(beside: table("by", Self.column("user_id")))?.doubts == [])
        #expect(proposal(beside: table("enclosures", Self.column("item_id")))?.remarks.count == 1)
        let texts = table("bookmarks", Self.column("item_id") { .text("\($0)") })
        let none = table("bookmarks", ColumnSketch(name: "item_id", values: []))
        for other in [texts, none] {
            let asked = proposal(beside: other)
            #expect(asked?.keptBy == [] && asked?.doubts.count == 1)
        }
        let statuses = table("details", Self.column("articleID", isKey: true), Self.column("starred"))
        #expect(proposal("articles", key: "articleID", beside: statuses)?.doubts.count == 1)
        #expect(proposal("articles", beside: statuses)?.doubts.count == 1)
        #expect(proposal("notices", beside: statuses)?.doubts == [])
    }

    @Test("marks of rows in no known table are a doubt, and definitions of labels are none")
    func unknownMarks() {
        for other in [
            table("moz_bookmarks", Self.column("id", isKey: true), Self.column("fk")),
            table("starred", Self.column("guid", isKey: true)), table("read_later", Self.column("url")),
            table("LabelsInMessages", Self.column("label"), Self.column("message")),
            table("read_state", Self.column("hash")),
        ] {
            #expect(proposal(beside: other)?.doubts.count == 1, "\(other.name)")
        }
        let labels = table(
            "labels", Self.column("id", isKey: true), Self.column("name"), Self.column("account_id"))
        #expect(proposal(beside: labels, table("accounts"))?.doubts == [])
        let linked = table("post_tags", Self.column("tag_id"), Self.column("post_id"))
        #expect(
            proposal(beside: linked, table("posts"), table("tags", Self.column("id", isKey: true)))?.doubts
                == [])
    }

    @Test("of tables that nobody looked at another may say which rows matter")
    func unseen() {
        #expect(proposal(unseen: 3)?.doubts.first?.hasPrefix("only 1 of 4 tables") == true)
    }

    @Test(
        "what a person set up, wrote or marked is left alone",
        arguments: [
            "settings", "app_config", "userSettings", "ZPREFERENCE", "options", "feeds", "oc_news_feeds",
            "ttrss_feeds",
            "FEEDSUBSCRIPTIONS", "feed_data", "folders", "categories", "feed_categories", "tags",
            "ttrss_user_labels2",
            "LabelsInMessages", "entrytag", "users", "accounts", "moz_bookmarks", "starred_items",
            "unread_entries", "saved",
            "notes", "contacts", "tasks", "statuses", "FEEDENTRYSTATUSES", "feed_fetch_state",
            "read_articles", "playlists",
            "syncStatus", "outbox",
        ])
    func leftAlone(name: String) {
        #expect(proposal(name) == nil)
    }

    @Test(
        "other tables are not",
        arguments: [
            "items", "articles", "feed_items", "ttrss_user_entries", "FEEDENTRIES", "Messages", "news", "log",
            "user_sessions",
            "moz_historyvisits", "cookies", "events", "jobs", "metrics", "threads", "stories",
        ])
    func proposed(name: String) {
        #expect(proposal(name)?.doubts == [])
    }

    @Test("a table that could not be looked at is left alone with the reason")
    func obstacle() {
        let table = TableSketch(name: "t", rows: 0, columns: [], obstacle: "no such collation")
        #expect(TableProposal(for: table, at: Self.now) == .none(table: "t", reason: "no such collation"))
    }
}
