import Foundation
import Retention
import Testing

/// Which columns let a row go, keep it, or leave that to a person.
struct FlagColumnTests {
    private static let now = Date(timeIntervalSince1970: 1_795_426_200)

    private static func column(
        _ name: String, isKey: Bool = false, refersTo: String? = nil, _ value: (Int) -> SketchedValue
    ) -> ColumnSketch {
        ColumnSketch(name: name, isKey: isKey, refersTo: refersTo, values: (0..<100).map(value))
    }

    private static func texts(_ name: String, _ values: String?...) -> ColumnSketch {
        column(name) { values[$0 % values.count].map(SketchedValue.text) ?? .null }
    }

    private static func numbers(_ name: String, _ values: Int64?...) -> ColumnSketch {
        column(name) { values[$0 % values.count].map(SketchedValue.integer) ?? .null }
    }

    /// Half of the rows have a time.
    private static func times(_ name: String, else unset: SketchedValue = .null) -> ColumnSketch {
        column(name) { $0 % 2 == 0 ? .integer(1_795_426_100 - Int64($0) * 86_400) : unset }
    }

    private static let date = column("date") { .integer(1_795_400_000 - Int64($0) * 86_400) }

    private func proposal(_ columns: ColumnSketch...) -> RuleProposal? {
        let table = TableSketch(name: "items", rows: 5_000, columns: columns)
        guard case .rule(let proposal) = TableProposal(for: table, at: Self.now) else { return nil }
        return proposal
    }

    @Test(
        "only rows go of which the column certainly says that a person is done with them",
        arguments: [
            (numbers("read", 0, 1), "read = 1"), (numbers("read", 0, 1, 2), "read BETWEEN 1 AND 9"),
            (numbers("marked_as_read", 0, 1), "marked_as_read = 1"),
            (numbers("read_flag", 0, 1), "read_flag = 1"),
            (texts("read", "true", "false"), "read = 'true'"),
            (texts("is_read", "N", "Y", nil), "is_read = 'Y'"),
            (texts("read", "t", "f", "true"), "read IN ('t', 'true')"),
            (texts("read", "0", "1"), "read = '1'"),
            (texts("unread", "true", "false"), "unread = 'false'"),
            (texts("unread", "no", "yes"), "unread = 'no'"),
            (texts("status", "unread", "read", "removed"), "status = 'read'"),
            (texts("read_status", "unread", "read"), "read_status = 'read'"),
            (texts("state", "done", "failed", "completed"), "state IN ('completed', 'done')"),
            (times("read_at"), "read_at IS NOT NULL"), (times("read"), "read IS NOT NULL"),
            (times("read_at", else: .integer(0)), "coalesce(read_at, 0) NOT IN (0, '')"),
            (times("last_read"), "last_read IS NOT NULL"), (numbers("read_at", nil), "read_at IS NOT NULL"),
        ])
    func conditions(column: ColumnSketch, condition: String) {
        let proposal = proposal(Self.date, column)
        #expect(proposal?.condition == condition)
        #expect(proposal?.doubts == [] && proposal?.protect == [])
        #expect(proposal?.time.column.name == "date")
    }

    @Test(
        "rows stay unless the column certainly says that nobody wants them",
        arguments: [
            (numbers("starred", 0, 1), "starred <> 0"), (numbers("marked", 0, 1), "marked <> 0"),
            (numbers("to_read", 0, 1), "to_read <> 0"), (numbers("readLater", 0, 1), "readLater <> 0"),
            (numbers("keep_unread", 0, 1), "keep_unread <> 0"), (numbers("rating", 0, 3, 5), "rating <> 0"),
            (numbers("stars", 0, 70_000), "stars <> 0"),
            (texts("starred", "true", "false"), "coalesce(starred, '') NOT IN ('', 'false')"),
            (texts("starred", "True", "FALSE"), "coalesce(starred, '') NOT IN ('', 'FALSE')"),
            (texts("starred", "red", "no"), "coalesce(starred, '') <> ''"),
            (texts("share_code", "", "x1"), "coalesce(share_code, '') <> ''"),
            (texts("labels", "no", ""), "coalesce(labels, '') <> ''"),
            (texts("tags", "[]", "[1]"), "coalesce(tags, '') NOT IN ('', '[]')"),
            (column("saved") { $0 % 2 == 0 ? .integer(0) : .text("x") }, "coalesce(saved, 0) NOT IN (0, '')"),
            (column("label_id", refersTo: "label") { .integer(Int64($0)) }, "label_id <> 0"),
            (times("starred_at"), "starred_at IS NOT NULL"),
            (times("pinnedUntil"), "pinnedUntil IS NOT NULL"),
            (times("bookmarked", else: .integer(0)), "bookmarked <> 0"),
            (ColumnSketch(name: "starred", values: []), "coalesce(starred, '') <> ''"),
        ])
    func protections(column: ColumnSketch, protection: String) {
        let proposal = proposal(Self.date, column)
        #expect(proposal?.protect.map(\.value) == [protection])
        #expect(proposal?.doubts == [] && proposal?.condition == nil)
        #expect(proposal?.time.column.name == "date")
    }

    @Test(
        "where the name says that a column matters and nothing says how, a person has to decide",
        arguments: [
            numbers("archived", 0, 1), times("archived_at"), numbers("flag", 0, 1), numbers("flags", 0, 3, 8),
            texts("flags", "S", ""), numbers("unstarred", 0, 1), numbers("not_saved", 0, 1),
            numbers("read_progress", 0, 40), numbers("read_count", 0, 1), numbers("marked_unread", 0, 1),
            numbers("mark_unread", 0, 1), texts("read", "maybe", "true"), texts("read", "false"),
            texts("unread", "true"), numbers("unread", 0, 200), times("unread_since"),
            numbers("read_starred", 0, 1), texts("status", "open", "closed"), numbers("status", 0, 1),
            texts("published", "yes", "no"), numbers("is_published", 0, 1),
            texts("read_at", "0001-01-01 00:00:00"),
            times("read_at", else: .text("never")), times("read_at", else: .integer(-1)), times("due_date"),
            times("remind_at"), column("token_expires") { .integer(1_795_426_000 + Int64($0) * 3_600) },
            column("starred", isKey: true) { .integer(Int64($0)) }, numbers("reading", 0, 1),
            times("isreaddate"), times("alreadyreadon"), times("markedreadon"),
            texts("usertags", "x", ""), numbers("userlabel", 0, 1), numbers("mylikes", 0, 1),
        ])
    func doubts(column: ColumnSketch) {
        let proposal = proposal(Self.date, column)
        #expect(proposal?.time.column.name == "date")
        #expect(proposal?.doubts.count == 1, "\(proposal?.doubts ?? [])")
        #expect(proposal?.doubts.first?.contains(column.name) == true)
    }

    @Test(
        "other names raise no doubt",
        arguments: [
            "thread_id", "ready", "reader", "started", "spread", "lastSeen", "last_seen_at", "first_seen",
            "page",
            "stage", "etag", "favicon", "storage", "latest", "keepalive", "deleted", "deleted_at", "level",
            "enabled", "published_at", "views", "updated_at",
        ])
    func others(name: String) {
        for column in [Self.numbers(name, 0, 1), Self.times(name)] {
            #expect(proposal(Self.date, column)?.doubts == [], "\(column.values[0])")
        }
    }

    @Test("flags in letters need another column that says what is read")
    func letters() {
        let flags = Self.texts("flags", "S", "")
        #expect(proposal(Self.date, flags, Self.numbers("unread", 0, 1))?.doubts == [])
        #expect(proposal(Self.date, flags)?.doubts.count == 1)
    }

    @Test("when a row was read or deleted decides only without another time, and a person's mark never")
    func ages() {
        let read = Self.times("read_at")
        #expect(proposal(read, Self.date)?.time.column.name == "date")
        let only = proposal(read, Self.times("starred_at"))
        #expect(only?.time.column.name == "read_at" && only?.doubts == [])
        #expect(only?.condition == "read_at IS NOT NULL")
        #expect(only?.protect.map(\.value) == ["starred_at IS NOT NULL"])
        #expect(proposal(Self.times("starred_at")) == nil && proposal(Self.times("archived_at")) == nil)
        let deleted = proposal(Self.times("deleted_at"))
        #expect(deleted?.time.column.name == "deleted_at" && deleted?.doubts.count == 1)
        #expect(proposal(Self.date, Self.times("deleted_at"))?.time.column.name == "date")
    }

    @Test("a flag is proven by rows of both kinds")
    func proof() {
        let proven = { (column: ColumnSketch) in
            let proposal = proposal(Self.date, column)
            return (proposal?.conditions ?? []) + (proposal?.protect ?? [])
        }
        for column in [
            Self.times("read_at"), Self.texts("starred", "no", "yes"), Self.numbers("starred", nil, 1),
            Self.texts("status", "read", "unread"), Self.texts("read", "true", nil),
        ] {
            #expect(proven(column).map { $0.reason.contains("unproven") } == [false], "\(column.name)")
        }
        for column in [
            Self.numbers("read_at", nil), Self.texts("starred", "no"), Self.texts("status", "read"),
            Self.texts("labels", "", nil),
        ] {
            #expect(proven(column).map { $0.reason.contains("unproven") } == [true], "\(column.name)")
        }
    }
}
