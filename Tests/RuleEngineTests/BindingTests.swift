import Conditions
import Pruning
import Retention
import RuleEngine
import Testing

/// What is said of a rule that does not fit a catalog, on whatever engine.
@Suite("A rule and a catalog")
struct BindingTests {
    private static let names = SchemaNames(ignoresCase: false, usualSchema: "public")

    /// `item` with `tag` and `note`, which go with its rows, `pin`, which lets go of them, `star` without a foreign key,
    /// `thread`, to which a column refers by its name alone, and the tombstones `gone`.
    private static var catalog: Catalog {
        var catalog = Catalog(names)
        func add(_ name: String, _ columns: [String], key: [String] = ["id"], unique: [String] = []) {
            var table = Table(TableName(name))
            table.columns = columns.map {
                Table.Column($0, isGenerated: $0 == "sum", needsValue: $0 == "kind", comparison: "integer")
            }
            (table.primaryKey, table.hasKey) = (key, !key.isEmpty)
            let keys = [key, unique].filter { !$0.isEmpty }
            table.uniqueIndexes = keys.map { Table.UniqueIndex($0.map { .init($0) }, isWhole: true) }
            table.uniqueColumns = Set(keys.joined())
            catalog.tables[table.name] = table
            catalog.kinds[table.name] = .table
        }
        func refer(
            _ child: String, _ column: String, _ action: StoreSchema.ForeignKey.Action, to key: String = "id"
        ) {
            catalog.foreignKeys.append(
                ForeignKey(of: TableName(child), [column], to: TableName("item"), [key], onDelete: action))
        }
        add("item", ["id", "at", "hash", "read", "sum", "thread_id", "parent"], unique: ["hash"])
        add("tag", ["id", "item"])
        add("note", ["id", "item", "other"])
        add("pin", ["id", "item"])
        add("star", ["id", "item"])
        add("thread", ["id"])
        add("gone", ["hash", "kind"], key: ["hash"])
        add("seen", ["hash", "id"], key: ["hash"], unique: ["id"])
        refer("tag", "item", .cascade)
        refer("note", "item", .cascade)
        refer("note", "other", .setNull, to: "hash")
        refer("pin", "item", .setNull)
        refer("item", "parent", .cascade)
        return catalog
    }

    private typealias Change = @Sendable (inout RetentionRule) -> Void

    private static func rule(_ change: Change) throws -> RetentionRule {
        var rule = RetentionRule(
            name: "old", store: "s", table: "item",
            expiry: .age(column: "at", keep: Span(30, .day)),
            keptBy: [ColumnReference(table: "pin", column: "item")])
        change(&rule)
        return rule
    }

    /// Binds the rule and checks what it reaches. Half of the values of `thread_id` are keys of `thread`.
    private static func bind(_ rule: RetentionRule, _ catalog: Catalog) throws -> Binding {
        let binding = try Binding(rule, catalog, beside: [rule]) { _, _ in
            "0"
        } count: { kept, _, _ in
            kept.name == "thread_id" ? (found: 1, rows: 2) : (found: kept.name == "id" ? 1 : 0, rows: 2)
        }
        try binding.checkReach(catalog)
        return binding
    }

    private static func tombstone(_ table: String, _ columns: [String: String]) -> Tombstone {
        Tombstone(
            table: table, columns: columns.map { Tombstone.CopiedColumn($0.key, from: $0.value) },
            condition: nil)
    }

    private static let misfits: [(change: Change, cause: String, hint: String)] = [
        (
            { _ in },
            "deleting rows of item would also delete rows of tag (a foreign key), which the rule does not declare",
            "write dependents = [\"tag\"]; if they keep them, kept_by = [\"pin.item\", \"tag.item\"]"
        ),
        (
            { ($0.dependents, $0.keptBy) = (["tag", "note"], []) }, "would also update rows of note",
            "kept_by cannot name this key"
        ),
        (
            { $0.dependents = ["tag", "item"] }, "would also delete other rows of item",
            "remove item from dependents"
        ),
        (
            { $0.keptBy.append(ColumnReference(table: "note", column: "other")) },
            "note.other refers to hash of item (a foreign key), not to its key", "note.other = item.hash"
        ),
        (
            { $0.keptBy.append(ColumnReference(table: "thread", column: "id")) },
            "kept_by names thread.id, the key of thread, which refers to nothing: item.thread_id refers to it",
            "EXISTS (SELECT 1 FROM thread WHERE thread.id = item.thread_id)"
        ),
        ({ $0.table = "itm" }, "there is no table \"itm\"", "did you mean item?"),
        ({ $0.keepLastPer = ["nothing"] }, "table item has no column \"nothing\"", "its columns are id, at"),
        (
            { $0.action = .mark([MarkedColumn("at", .integer(0))]) }, "item.at, which has the rows' time",
            "say nothing"
        ),
        (
            { $0.action = .mark([MarkedColumn("hash", .integer(0))]) }, "item.hash, which a unique index has",
            ""
        ),
        ({ $0.action = .mark([MarkedColumn("sum", .integer(0))]) }, "item.sum, which is computed", ""),
        (
            { $0.action = .mark([MarkedColumn("parent", .integer(0))]) },
            "item.parent, which refers to another table", ""
        ),
        (
            { $0.tombstone = tombstone("item", ["hash": "hash"]) },
            "tombstones cannot be rows of item itself", ""
        ),
        (
            { $0.tombstone = tombstone("gone", ["hash": "hash"]) }, "needs a value of kind",
            "of item that it copies"
        ),
        (
            { $0.tombstone = tombstone("seen", ["hash": "hash", "id": "id"]) },
            "another unique index of seen, on id, would refuse tombstones", "one unique index"
        ),
    ]

    @Test("A rule that does not fit is refused with what helps", arguments: misfits.indices)
    func misfit(number: Int) throws {
        let misfit = Self.misfits[number]
        let rule = try Self.rule(misfit.change)
        let refusal = #expect(throws: SchemaMismatch.self, "\(misfit.cause)") { () throws in
            try Self.bind(rule, Self.catalog)
        }
        #expect(refusal?.cause.contains(misfit.cause) == true, "\(refusal?.cause ?? "")")
        #expect(refusal?.hint?.contains(misfit.hint) == true || misfit.hint.isEmpty, "\(refusal?.hint ?? "")")
    }

    @Test(
        "A rule fits where each foreign key is declared, or kept_by names its column, and its own key is no other table's"
    )
    func fits() throws {
        var catalog = Self.catalog
        catalog.foreignKeys.removeAll { $0.childColumns == ["other"] }
        let binding = try Self.bind(try Self.rule { $0.dependents = ["tag", "note"] }, catalog)
        #expect(binding.ownKeys.map(\.childColumns) == [["parent"]])
        #expect(Set(binding.cascades.map(\.child.name)) == ["tag", "note", "pin"])
        #expect(binding.cascades.filter(binding.isKept).map(\.child.name) == ["pin"])
    }

    private static let parts: [(change: @Sendable (inout Table) -> Void, cause: String)] = [
        ({ $0.isPartition = true }, "is a partition"), ({ $0.hasHeirs = true }, "inherit from item"),
        ({ $0.ancestor = TableName("all_items") }, "item inherits from all_items"),
        (
            {
                $0.columns += ["é", "e\u{301}"].map {
                    Table.Column($0, isGenerated: false, needsValue: false, comparison: "")
                }
            }, "two columns whose names look the same"
        ),
    ]

    @Test(
        "A part of another table is not pruned by itself, and columns that look the same are not told apart",
        arguments: parts.indices)
    func part(number: Int) throws {
        let (change, cause) = Self.parts[number]
        var catalog = Self.catalog
        var table = try #require(catalog.tables[TableName("item")])
        change(&table)
        catalog.tables[table.name] = table
        let rule = try Self.rule { _ in }
        let refusal = #expect(throws: SchemaMismatch.self) { () throws in try Self.bind(rule, catalog) }
        #expect(refusal?.cause.contains(cause) == true, "\(refusal?.cause ?? "")")
    }
}
