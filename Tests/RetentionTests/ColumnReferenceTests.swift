import Retention
import Testing

/// The columns that `kept_by` names.
struct ColumnReferenceTests {
    @Test(
        "a table may have its schema where the store has schemas",
        arguments: [
            ("entry.id", "entry", "id"), ("public.entry.id", "public.entry", "id"), ("a.b.c.d", nil, nil),
            ("entry", nil, nil), (".id", nil, nil), ("entry.", nil, nil), ("a..c", nil, nil),
        ])
    func schema(text: String, table: String?, column: String?) {
        let reference = ColumnReference(qualified: text)
        #expect(reference?.table == table)
        #expect(reference?.column == column)
        if let reference { #expect(reference.description == text) }
    }

    @Test("elsewhere it may not")
    func plain() { #expect(ColumnReference("public.entry.id") == nil) }
}
