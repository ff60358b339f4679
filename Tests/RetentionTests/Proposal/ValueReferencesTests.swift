import Retention
import Testing

/// Which columns refer to a table by their values, where no foreign key says so.
struct ValueReferencesTests {
    private static func column(
        _ name: String, isKey: Bool = false, _ values: [SketchedValue]
    ) -> ColumnSketch {
        ColumnSketch(name: name, isKey: isKey, values: values)
    }

    private static func numbers(_ values: some Sequence<Int64>) -> [SketchedValue] {
        values.map { .integer($0) }
    }

    private static func texts(_ values: some Sequence<Int64>) -> [SketchedValue] {
        values.map { .text("k\($0)") }
    }

    private static func table(_ name: String, rows: Int64, _ columns: ColumnSketch...) -> TableSketch {
        TableSketch(name: name, rows: rows, columns: columns)
    }

    private static let items = table(
        "items", rows: 1_000, column("id", isKey: true, numbers(1...1_000)))

    /// Answers as a store would whose rows were all looked at.
    private func references(
        _ tables: [TableSketch], to target: String = "items", times: [String: Set<String>] = [:]
    ) -> [ValueReference] {
        let answers = { (questions: [KeyQuestion]) in
            questions.map { question -> Int? in
                let columns = tables.first { $0.name == question.table }?.columns ?? []
                let values = columns.first { $0.name == question.column }?.values ?? []
                return Set(values).intersection(question.values).count
            }
        }
        return ValueReferences(
            in: StoreSketch(tables: tables, lacksLog: false), to: [target], times: times, asking: answers
        ).all
    }

    @Test(
        "a column refers to the table whose keys its values are, whatever its name",
        arguments: [
            (numbers(stride(from: 3, to: 990, by: 7)), false), (numbers(1...1_000), true),
            (numbers((1...990).flatMap { [$0, $0] }), true),
        ])
    func references(values: [SketchedValue], covers: Bool) {
        let marks = Self.table("marks", rows: 5_000, Self.column("x", values + [.null]))
        #expect(
            references([Self.items, marks])
                == [ValueReference(table: "marks", column: "x", target: "items", coversTarget: covers)])
    }

    @Test(
        "other values, times, flags and keys of another kind refer to nothing",
        arguments: [
            numbers(1_500...2_900), numbers(stride(from: 900, to: 3_000, by: 21)), numbers(-500...400),
            texts(1...900), numbers([1, 2, 3]), numbers(0...1), [.real(0.5), .real(7)],
        ])
    func others(values: [SketchedValue]) {
        let other = Self.table("other", rows: 5_000, Self.column("x", values))
        #expect(references([Self.items, other]) == [])
    }

    @Test("times are no keys, even where these lie in the same range")
    func times() {
        let marks = Self.table("marks", rows: 5_000, Self.column("at", Self.numbers(1...900)))
        #expect(references([Self.items, marks], times: ["marks": ["at"]]) == [])
    }

    @Test("a table by the same texts or hashes has a row for each; the numbers of rows prove that of none")
    func sameKeys() {
        let articles = Self.table(
            "articles", rows: 500, Self.column("a", isKey: true, Self.texts(1...500)))
        let states = Self.table("states", rows: 400, Self.column("b", isKey: true, Self.texts(1...400)))
        #expect(
            references([articles, states], to: "articles") == [
                ValueReference(
                    table: "states", column: "b", target: "articles", isKey: true, coversTarget: true)
            ])
        let numbered = { (rows: Int64) in
            Self.table("log", rows: rows, Self.column("id", isKey: true, Self.numbers(1...rows)))
        }
        #expect(references([Self.items, numbered(600)]) == [])
        #expect(references([Self.items, numbered(1_000)]).map(\.isChance) == [true])
        let unread = Self.table(
            "unread", rows: 500,
            Self.column("id", isKey: true, Self.numbers(stride(from: 2, to: 1_000, by: 2))))
        #expect(references([Self.items, unread]).map(\.isChance) == [false])
    }

    @Test("small numbers may be keys by chance, and are none where another table is meant")
    func chance() {
        let small = Self.table("sizes", rows: 90, Self.column("size", Self.numbers(1...40)))
        #expect(references([Self.items, small]).map(\.isChance) == [true])
        let feeds = Self.table("feeds", rows: 40, Self.column("id", isKey: true, Self.numbers(1...40)))
        #expect(references([Self.items, small, feeds]) == [])
    }
}
