import Retention
import Testing

/// The columns that `kept_by` names.
struct ColumnReferenceTests {
    @Test(
        "a table may have its schema, and dots in its name, where the store has schemas",
        arguments: [
            ("entry.id", "entry", "id"), ("public.entry.id", "public.entry", "id"), ("a.B.c.d", "a.B.c", "d"),
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
