/// A column that says which rows a person is done with, or wants, as far as its name and its values tell.
package enum FlagColumn: Equatable, Sendable {
    /// Only rows of which this SQL is true may go.
    case condition(String, isProven: Bool)
    /// Rows of which this SQL is true stay.
    case protection(String, isProven: Bool)
    /// It is good to know, and no reason to doubt a rule.
    case remark(String)
    /// It may say which rows matter, and only a person knows how: a rule without that person's word could delete them.
    case doubt(String)

    /// Nil for columns that are no flag. `sql` is the column's name as SQL. `isTime`: whether its values are times.
    init?(_ column: ColumnSketch, sql: String, isTime: Bool = false) {
        let words = NameWords(column.name)
        let values = FlagValues(column.values)
        guard let meaning = words.meaning else {
            guard words.isPublication, !isTime, values.isFlag else { return nil }
            self = .doubt("may say what a person shared with others")
            return
        }
        guard !column.isKey || meaning == .gone else {
            self = .doubt("is a part of the key, and its name says that it matters")
            return
        }
        if let typed = Self.typed(column, meaning, values, sql, isBits: words.isBits) {
            self = typed
            return
        }
        switch meaning {
        case .done: self = Self.done(values, sql, isTime: isTime, isNamedTime: words.time != nil)
        case .open: self = Self.open(values, sql, isTime: isTime)
        case .wanted, .annotation:
            let unset = meaning == .annotation ? values.emptyTexts : values.falseTexts
            // Letters and bits of mail flags say what is read, too.
            guard !words.isBits || values.areTexts else {
                self = .doubt("has \(values.inWords), each bit of which may mean another thing")
                return
            }
            self = .protection(
                values.sqlIsSet(sql, besides: unset, isTime: isTime),
                isProven: values.isVaried(besides: unset))
        case .gone: self = .remark("marks rows that the app itself deleted")
        case .status: self = Self.status(values, sql)
        case .unclear: self = .doubt("has \(values.inWords): only a person knows which of them may go")
        }
    }

    /// The same where the type says more than values do: no value of another type can be compared with them.
    private static func typed(
        _ column: ColumnSketch, _ meaning: NameWords.Meaning, _ values: FlagValues, _ sql: String,
        isBits: Bool
    ) -> FlagColumn? {
        // An empty list is no mark, and a database that has one for no tags has it in each row.
        if column.type == .other, column.declaredType.hasSuffix("[]"),
            [.wanted, .annotation].contains(meaning)
        {
            return .protection("coalesce(cardinality(\(sql)), 0) > 0", isProven: values.isVaried(besides: []))
        }
        return switch (column.type, meaning) {
        case (.boolean, .done): .condition(sql, isProven: values.numbers?.count == 2)
        case (.boolean, .open): .condition("NOT \(sql)", isProven: values.numbers?.count == 2)
        case (.boolean, .wanted), (.boolean, .annotation):
            .protection(sql, isProven: values.numbers?.count == 2)
        case (.number, .wanted) where !isBits, (.number, .annotation) where !isBits:
            .protection("\(sql) <> 0", isProven: values.isVaried(besides: []))
        case (.instant, .done), (.local, .done):
            .condition("\(sql) IS NOT NULL", isProven: values.isVaried(besides: []))
        case (.instant, .wanted), (.local, .wanted), (.other, .wanted), (.instant, .annotation),
            (.local, .annotation),
            (.other, .annotation):
            .protection("\(sql) IS NOT NULL", isProven: values.isVaried(besides: []))
        default: nil
        }
    }

    /// Only what is certainly done with may go.
    private static func done(
        _ values: FlagValues, _ sql: String, isTime: Bool, isNamedTime: Bool
    ) -> FlagColumn {
        if isTime || isNamedTime && values.areUnset {
            return .condition(values.sqlIsTime(sql), isProven: values.isVaried(besides: []))
        }
        if let numbers = values.numbers {
            return .condition(
                numbers.isSubset(of: [0, 1]) ? "\(sql) = 1" : "\(sql) BETWEEN 1 AND 9",
                isProven: numbers.count > 1)
        }
        let done = values.trueTexts.isEmpty ? values.doneTexts : values.trueTexts
        guard !done.isEmpty else {
            return .doubt("has \(values.inWords), of which none is known to mean yes")
        }
        return .condition(FlagValues.sql(sql, in: done), isProven: values.isVaried(in: done))
    }

    private static func open(_ values: FlagValues, _ sql: String, isTime: Bool) -> FlagColumn {
        if !isTime, let numbers = values.numbers {
            return .condition("\(sql) = 0", isProven: numbers.count > 1)
        }
        let closed = values.falseTexts.filter { !$0.isEmpty }
        guard !closed.isEmpty else {
            return .doubt("has \(values.inWords), of which none is known to mean no")
        }
        return .condition(FlagValues.sql(sql, in: closed), isProven: values.isVaried(in: closed))
    }

    private static func status(_ values: FlagValues, _ sql: String) -> FlagColumn {
        if values.areAnswers { return .remark("has \(values.inWords)") }
        let done = values.doneTexts
        guard !done.isEmpty else {
            return .doubt("has \(values.inWords); say which may go: where = \"\(sql) = ...\"")
        }
        return .condition(FlagValues.sql(sql, in: done), isProven: values.isVaried(in: done))
    }
}

extension NameWords {
    fileprivate var isPublication: Bool { words.last == "published" }
    /// Whether each letter or bit of a value may say another thing.
    var isBits: Bool { words.contains("flags") }
}
