import Retention
import Testing

/// Which columns may say which rows matter, and in how many rows they say what.
struct ColumnFlagTests {
    private static func column(
        _ values: [SketchedValue], isKey: Bool = false, refersTo: String? = nil
    ) -> ColumnSketch {
        ColumnSketch(name: "c", isKey: isKey, refersTo: refersTo, values: values)
    }

    private static let numbers = (1...100).map { SketchedValue.integer($0) }

    @Test(
        "a flag has few values, or some rows have one and others none",
        arguments: [
            (column([.integer(0), .integer(1)]), .values), (column([.text("new"), .text("done")]), .values),
            (column((0..<8).map { .integer($0) }), .values), (column([.null]), .values),
            (column(numbers + [.null]), .presence(unset: .null)),
            (column(numbers + [.integer(0)]), .presence(unset: .integer(0))),
            (column(numbers), nil), (column([]), nil), (column([.blob, .null]), nil),
            (column([.integer(0)], isKey: true), nil), (column([.integer(0)], refersTo: "t"), nil),
        ] as [(ColumnSketch, ColumnFlag?)])
    func flags(column: ColumnSketch, flag: ColumnFlag?) {
        #expect(column.flag == flag)
    }

    @Test("the rows of a large table are not counted: what was seen stands for them")
    func estimates() {
        let values = (0..<100).map { SketchedValue.integer($0 % 10 == 0 ? 1 : 0) }
        let columns = [Self.column(values), Self.column(Self.numbers)]
        let large = TableSketch(name: "t", rows: 10_000_000, columns: columns).counting { _ in
            Issue.record("counted")
            return []
        }
        #expect(large.columns[0].hasEstimates)
        #expect(
            large.columns[0].counts == [
                ValueCount(.integer(0), rows: 9_000_000), ValueCount(.integer(1), rows: 1_000_000),
            ])
        #expect(large.columns[1].counts == [])
        let small = TableSketch(name: "t", rows: 100, columns: columns).counting { _ in
            [ValueCount(.integer(0), rows: 100)]
        }
        #expect(small.columns[0].counts == [ValueCount(.integer(0), rows: 100)])
        #expect(!small.columns[0].hasEstimates)
    }
}
