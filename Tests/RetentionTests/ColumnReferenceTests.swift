import Retention
import Testing

/// The columns that `kept_by` names.
struct ColumnReferenceTests {
    @Test(
        "a table may have its schema, and dots in its name",
        arguments: [
            ("entry.id", "entry", "id"), ("public.entry.id", "public.entry", "id"), ("a.B.c.d", "a.B.c", "d"),
            ("entry", nil, nil), (".id", nil, nil), ("entry.", nil, nil), ("a..c", nil, nil),
        ])
    func schema(text: String, table: String?, column: String?) {
        let reference = ColumnReference(text)
        #expect(reference?.table == table)
        #expect(reference?.column == column)
        if let reference { #expect(reference.description == text) }
    }

    @Test(
        "a column whose name has a dot cannot be written, nor one without a name",
        arguments: [
            ("entry", "id", true), ("a.b", "a-b", true), ("entry", "a.b", false), ("entry", ".", false),
            ("entry", "", false), ("a..b", "id", false), ("", "id", false), (".a", "id", false),
        ])
    func writable(table: String, column: String, isWritable: Bool) {
        #expect(ColumnReference(table: table, column: column).isWritable == isWritable)
    }
}
