import Testing

@testable import Retention

/// Which differences between two schemas could make a deletion wrong, on stores that mind the case of names and on others.
@Suite("What a gate compares of two schemas")
struct SchemaComparisonTests {
    private static let known = """
        table feed
          column url text
          column kind number
          column title text
          primary key (url)
        table gone
          column url text
          primary key (url)
        table item
          column id number
          column feed text
          column at number
          column read boolean
          column title text
          column tags other text[]
          primary key (id)
          unique (feed, read)
          foreign key (feed) references feed (url)
          trigger change after update of title begin delete from word where text = 'New'; end
          trigger removal after delete begin delete from word where text = 'Old'; end
        table label
          column item number
          column name text
          foreign key (item) references item (id) on delete cascade
        table word
          column item number
          column text text

        """

    private static let rule = RetentionRule(
        name: "items", store: "s", table: "item", expiry: .age(column: "at", keep: Span(30, .day)),
        condition: "read = 1 -- it's read",
        protect: ["EXISTS (SELECT 1 FROM feed f WHERE f.url = item.feed AND f.kind > 1)"],
        dependents: ["label"],
        tombstone: Tombstone(table: "gone", columns: [.init("url", from: "feed")], condition: nil))

    private static let mark: RetentionRule = {
        var rule = Self.rule
        (rule.dependents, rule.tombstone) = ([], nil)
        rule.action = .mark([MarkedColumn("read", .integer(2))])
        return rule
    }()

    private static let engines = [
        SchemaNames(ignoresCase: true), SchemaNames(ignoresCase: false, usualSchema: "public"),
    ]

    private func verdict(
        _ own: String, _ rule: RetentionRule = Self.rule, accepting accepted: Set<String> = [],
        known: [String] = [Self.known], names: SchemaNames = Self.engines[0]
    ) throws -> StoreGate.Verdict {
        let gate = StoreGate(
            try known.enumerated().map { .init(versions: "\($0.offset + 1)", try StoreSchema($0.element)) },
            acceptedColumns: accepted)
        return try #require(gate.verdict(on: try StoreSchema(own), for: [SchemaUse(rule)], by: names))
    }

    private func changed(_ text: String, _ replacement: String) -> String {
        let own = Self.known.replacing(text, with: replacement)
        #expect(own != Self.known, "\(text)")
        return own
    }

    /// A change of the schema, and what is said of it; nil: nothing.
    private static let rows: [(String, String, String?)] = [
        // What cannot make a deletion wrong.
        ("column title text\n  column tags other text[]", "column title bytes", nil),
        ("column tags other text[]", "column tags other json", nil),
        ("  column title text\n  primary", "  column pinned boolean\n  primary", nil),
        ("  foreign key (feed) references feed (url)\n", "", nil),
        ("  unique (feed, read)\n", "", nil), ("unique (feed, read)", "unique (feed)", nil),
        ("column name text", "column pinned number", nil),
        ("trigger change", "trigger another", nil), ("'New'", "'new'", nil),
        (
            "table word", "table word\n  trigger more after delete begin select 1; end",
            "an unknown trigger more"
        ),
        ("table feed", "table feed\n  trigger more after delete begin select 1; end", nil),
        ("table item", "table item\n  trigger more after insert begin select 1; end", nil),
        ("table item", "table item\n  trigger more after delete disabled row '1'", nil),
        (
            "begin delete from word where text = 'Old'; end",
            "begin\u{20}delete from word where text='Old' ;end", nil
        ),
        ("table feed", "table more\n  column x text\ntable feed", nil),
        // What could.
        (
            "column read boolean", "column read boolean\n  column pinned number",
            "table item has an unknown column pinned"
        ),
        ("  column at number\n", "", "table item has no column at"),
        ("column at number", "column at text", "item.at is a text, not a number"),
        ("column at number", "column at other", "item.at is of no declared type, not a number"),
        ("column at number", "column at other public.age", "item.at is of type public.age, not a number"),
        ("column read boolean", "column read number", "item.read is a number, not a boolean"),
        ("column at number", "column at time", "item.at is a time, not a number"),
        ("column kind number", "column sort number", "table feed has no column kind"),
        ("column kind number", "column kind text", "feed.kind is a text, not a number"),
        (" on delete cascade", "", "table label has an unknown foreign key (item) references item (id)"),
        (
            " on delete cascade", "",
            "table label has no foreign key (item) references item (id) on delete cascade"
        ),
        (
            "column text text\n", "column text text\n  foreign key (item) references item (id)\n",
            "table word has an unknown foreign key (item) references item (id)"
        ),
        (
            "table label", "table label\n  trigger more after delete row '0f'",
            "table label has an unknown trigger more"
        ),
        ("'Old'", "'old'", "trigger removal on item does something else"),
        ("removal after", "removal before", "trigger removal on item does something else"),
        ("trigger removal after delete", "trigger removal after delete disabled", "does something else"),
        ("trigger removal", "trigger left", "table item has no trigger removal"),
        ("trigger removal", "trigger left", "table item has an unknown trigger left"),
        (
            "table gone\n  column url text\n  primary key (url)",
            "table gone\n  column url text\n  column user number\n  primary key (url, user)",
            "table gone has no unique index on (url)"
        ),
        (
            "table gone", "table gone\n  unique (user, url)",
            "table gone has an unknown unique index on (url, user)"
        ),
        (
            "table gone", "table gone\n  trigger noted after insert row '0f'",
            "table gone has an unknown trigger noted"
        ),
        ("table feed", "table feeds", "there is no table feed"),
        ("table word", "table word\n  module fts5 (text)", "table word was created by another statement"),
    ]

    @Test("a row of changes and what is said of each", arguments: rows)
    func changes(text: String, replacement: String, difference: String?) throws {
        for names in Self.engines {
            let found = try verdict(changed(text, replacement), names: names).differences
            #expect(found.isEmpty == (difference == nil), "\(found)")
            #expect(found.count <= 2, "\(found)")
            if let difference { #expect(found.contains { $0.contains(difference) }, "\(found)") }
        }
    }

    @Test(
        "of a mark: the triggers of an update of its columns, and the unique keys that have them",
        arguments: [
            ("'Old'", "'old'", nil), ("'New'", "'new'", nil), (" on delete cascade", "", nil),
            ("update of title", "update", "table item has an unknown trigger change"),
            ("update of title", "update of title, read", "table item has an unknown trigger change"),
            ("  unique (feed, read)\n", "", "table item has no unique index on (feed, read)"),
            ("unique (feed, read)", "unique (feed, read)\n  unique (title)", nil),
            (
                "unique (feed, read)", "unique (feed, read)\n  unique (read)",
                "an unknown unique index on (read)"
            ),
            (
                "unique (feed, read)", "unique (feed, read)\n  unique (lower(title)) where read",
                "an unknown unique index on (lower (title)) where read"
            ),
            ("unique (feed, read)", "unique (read, feed)", nil),
            ("primary key (id)\n  unique (feed, read)", "unique (id)\n  primary key (feed, read)", nil),
        ] as [(String, String, String?)])
    func marks(text: String, replacement: String, difference: String?) throws {
        for names in Self.engines {
            let found = try verdict(changed(text, replacement), Self.mark, names: names).differences
            #expect(found.count == (difference == nil ? 0 : 1), "\(found)")
            if let difference { #expect(found.first?.contains(difference) == true, "\(found)") }
        }
    }

    @Test("capitals of names mean nothing where the store ignores them; those of texts always do")
    func capitals() throws {
        let own = changed("read", "Read").replacing("table item", with: "table Item")
            .replacing("delete from word", with: "DELETE FROM \"word\"")
        #expect(try verdict(own).differences == [])
        #expect(try verdict(own, names: Self.engines[1]).differences.contains("there is no table item"))
        let quoted = Self.known.replacing("column read", with: "column \"Read\"")
        var rule = Self.rule
        rule.condition = "\"Read\""
        #expect(try verdict(quoted, rule, known: [quoted], names: Self.engines[1]).differences == [])
        #expect(
            try verdict(
                quoted.replacing("\"Read\" boolean", with: "\"Read\" text"), rule, known: [quoted],
                names: Self.engines[1]
            ).differences == ["item.Read is a text, not a boolean"])
    }

    @Test("the usual schema may stand before a table or be left out")
    func usualSchema() throws {
        var rule = Self.rule
        rule.table = "public.item"
        let own = changed("column read boolean", "column read boolean\n  column pinned boolean")
        #expect(try verdict(own, rule, names: Self.engines[1]).unknownColumns == ["item.pinned"])
        let key = changed(" on delete cascade", "")
        #expect(try verdict(key, rule, names: Self.engines[1]).differences.count == 2)
    }

    @Test("a column that settings name is one of the rule's table, not of a table that is read")
    func columnOfOther() throws {
        var rule = Self.rule
        (rule.identity, rule.keepLast, rule.keepLastPer) = (["title"], 5, ["title"])
        #expect(
            try verdict(changed("column kind number\n  column title text", "column kind number"), rule)
                .differences == [])
        let own = changed("column title text\n  column tags", "column name text\n  column tags")
        #expect(try verdict(own, rule).differences.contains("table item has no column title"))
    }

    @Test("a table that a trigger writes to is compared, and what that sets off in turn")
    func deep() throws {
        let known = Self.known.replacing(
            "column text text\n", with: "column text text\n  trigger deep after delete begin select 1; end\n")
        #expect(try verdict(Self.known, known: [known]).differences == ["table word has no trigger deep"])
    }

    @Test("a column that any known version has is not unknown, but one that is used is additional")
    func otherVersions() throws {
        let own = changed("column read boolean", "column read boolean\n  column pinned number")
        #expect(
            try verdict(own, known: [Self.known, "table item\n  column pinned number"]).differences == [])
        #expect(
            try verdict(own, known: [Self.known, "table feed\n  column pinned number"]).differences.count == 1
        )
        var rule = Self.rule
        rule.identity = ["pinned"]
        #expect(
            try verdict(own, rule, known: [Self.known, "table item\n  column pinned number"]).differences
                == ["table item has an additional column pinned"])
    }

    @Test("of several schemas the nearest is the one whose differences are said")
    func nearest() throws {
        let far = "table item\n  column a text\n  column b text"
        let found = try verdict(changed("column at number", "column at bytes"), known: [far, Self.known])
        #expect(found.nearest.versions == "2" && found.differences == ["item.at is bytes, not a number"])
        #expect(found.unknownColumns == nil)
    }

    @Test(
        "a column that only the store has is accepted by its name, or by its table's and its own",
        arguments: [("pinned", true), ("ITEM.Pinned", true), ("feed.pinned", false), ("item", false)])
    func accepted(name: String, isAccepted: Bool) throws {
        let own = changed("column read boolean", "column read boolean\n  column pinned number")
        #expect(try verdict(own, accepting: [name]).differences.isEmpty == isAccepted)
        let others = own.replacing("column at number", with: "column at text")
        #expect(try verdict(others, accepting: [name]).differences.isEmpty == false)
    }
}
