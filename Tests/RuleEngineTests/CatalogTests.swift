import Retention
import RuleEngine
import Testing

/// What a name in a configuration means in a catalog.
@Suite("Names in a catalog")
struct CatalogTests {
    private func catalog(_ names: SchemaNames, _ kinds: [TableName: Catalog.Kind]) -> Catalog {
        var catalog = Catalog(names)
        catalog.kinds = kinds
        return catalog
    }

    private static let names = SchemaNames(ignoresCase: false, usualSchema: "public")

    @Test(
        "A table is meant by its name alone where it is in the usual schema or beside the rule's, and else by both names",
        arguments: [
            ("items", nil, "items"), ("public.items", nil, "items"), ("news.feeds", nil, "news.feeds"),
            ("feeds", nil, nil), ("feeds", "news", "news.feeds"), ("items", "news", "items"),
            ("Items", nil, nil), ("nothing", nil, nil), ("view", nil, nil),
        ] as [(String, String?, String?)])
    func meant(_ written: String, beside schema: String?, _ found: String?) {
        let catalog = catalog(
            Self.names,
            [TableName("items"): .table, TableName("feeds", in: "news"): .table, TableName("view"): .view])
        let table = catalog.tableIfAny(named: written, beside: schema.map { TableName("x", in: $0) })
        #expect(table?.name.description == found)
    }

    @Test("A name that means a table, and with its dot one of another schema, means none")
    func ambiguous() {
        let catalog = catalog(
            Self.names, [TableName("news.feeds"): .table, TableName("feeds", in: "news"): .table])
        #expect(throws: SchemaMismatch.self) { try catalog.table(named: "news.feeds") }
    }

    @Test(
        "Small and capital letters are the same only where the store says so, and a near name is told",
        arguments: [(true, "ITEMS", "items", nil), (false, "ITEMS", nil, "did you mean items?")]
            as [(Bool, String, String?, String?)])
    func letters(_ ignoresCase: Bool, _ written: String, _ found: String?, _ hint: String?) {
        let catalog = catalog(SchemaNames(ignoresCase: ignoresCase), [TableName("items"): .table])
        do {
            #expect(try catalog.table(named: written).name.description == found)
        } catch {
            #expect(found == nil)
            #expect(error.hint == hint)
        }
    }
}
