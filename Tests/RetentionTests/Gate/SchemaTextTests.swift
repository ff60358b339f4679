import Testing

@testable import Retention

@Suite("The text of a schema")
struct SchemaTextTests {
    private static let text = """
        table Odd
          module fts5 (title, tokenize = 'unicode61')
          column title other
        table "a b".item
          column id number
          column "Odd ""name" text
          column feed_id number
          column read boolean
          column at time
          column hash bytes
          column tags other text[]
          column status other public.status
          primary key (id)
          unique (feed_id, hash)
          unique (lower (title)) where (status <> ''::text)
          foreign key (feed_id) references feeds (id) on delete set null on update cascade
          foreign key (id, "x y") references "a b".other
          trigger noted after insert or update of a, "B c" begin select 'it''s
         so', 1 - - 1 <= 2; end
          trigger touched before update row '0f1e'

        """

    @Test("a text that is read and printed is the same")
    func roundTrip() throws {
        let schema = try StoreSchema(Self.text)
        #expect(schema.text == Self.text)
        #expect(schema.tables.map(\.name) == ["Odd", "a b.item"])
        let item = schema.tables[1]
        #expect(
            item.columns.map(\.name) == [
                "id", "Odd \"name", "feed_id", "read", "at", "hash", "tags", "status",
            ])
        #expect(item.columns.last?.type == .other("public.status"))
        #expect(
            item.foreignKeys.contains(
                .init(["feed_id"], to: "feeds", ["id"], onDelete: .setNull, onUpdate: .cascade)))
        #expect(item.foreignKeys.contains(.init(["id", "x y"], to: "a b.other", [])))
        #expect(item.triggers[0].answers(.init(table: "item", event: .update, columns: ["B c"])))
        #expect(!item.triggers[0].answers(.init(table: "item", event: .update, columns: ["c"])))
        #expect(item.triggers[0].answers(.init(table: "item", event: .insert)))
        #expect(!item.triggers[0].answers(.init(table: "item", event: .delete)))
    }

    @Test("blanks, comments, capitals of key words and needless quotation marks mean nothing")
    func freedom() throws {
        let free = """
            # of version 2
            TABLE "t"
            \tColumn "id"  NUMBER -- the key
              # and no more
              Foreign Key(id) References f ( id )On Delete Cascade /* all */
            """
        #expect(
            try StoreSchema(free).text
                == "table t\n  column id number\n  foreign key (id) references f (id) on delete cascade\n")
    }

    @Test(
        "a line that says nothing about a table is named",
        arguments: [
            ("", 1, "names no table"), ("\n# x\n", 1, "names no table"),
            ("column id number", 1, "stands before the first table: column id number"),
            ("table", 1, "names no table"), ("table a\n\ntable a", 3, "table a is there twice"),
            ("table a\n colum id number", 2, "is no fact of a table: colum id number"),
            ("table a\n column id bigint", 2, "is no fact of a table"),
            ("table a\n column id number not null", 2, "is no fact"),
            ("table a\n column id", 2, "is no fact"),
            ("table a\n column b text\n column b text", 3, "is no fact"),
            ("table a\n primary key id", 2, "is no fact"), ("table a\n unique id", 2, "is no fact"),
            ("table a\n foreign key (b) references c (d) on delete nothing", 2, "is no fact"),
            ("table a\n trigger b", 2, "is no fact"),
            ("table a\n trigger b after delete 'x", 2, "a text does not end"),
            ("table a\n column \"x", 2, "a name does not end"),
            (
                "CREATE TABLE a (id INTEGER);", 1,
                "stands before the first table: CREATE TABLE a (id INTEGER);"
            ),
        ])
    func refused(text: String, line: Int, reason: String) {
        let error = #expect(throws: SchemaTextError.self) { () throws in _ = try StoreSchema(text) }
        #expect(error?.line == line && error?.reason.contains(reason) == true, "\(String(describing: error))")
    }
}
