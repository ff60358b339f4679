import TerminalText

/// Gives the names of a condition their meaning, and refuses what compares values of different classes.
///
/// The condition judges rows of one table, which it must read. Literals become what they are compared with: a text beside
/// a time must be one.
package struct ConditionBinding {
    private let row: BoundTable
    private let tables: any ConditionTables
    /// The tables of the queries around the place that is being bound, from the outermost one, that of the row, on.
    private var scopes: [[BoundTable]]

    /// `alias` is the name by which the statement knows the row that is judged.
    package static func bind(
        _ condition: WrittenCondition, on table: TypedTable, as alias: String, in tables: any ConditionTables
    ) throws -> BoundCondition {
        let row = BoundTable(table: table, alias: alias)
        let binding = ConditionBinding(row: row, tables: tables, scopes: [[row]])
        let bound = try binding.bound(condition)
        guard bound.columns.contains(where: { $0.depth == 0 }) else {
            throw ConditionError(
                "is no condition on a row: it reads no column of \(table.name)",
                hint: binding.columns(of: [row]))
        }
        return bound
    }

    // MARK: - Conditions

    private func bound(_ condition: WrittenCondition) throws -> BoundCondition {
        switch condition {
        case .comparison(let a, let comparison, let b):
            let (a, b) = (try bound(a), try bound(b))
            let pair = try compared(a, b)
            return .comparison(pair.0, comparison, pair.1)
        case .isNull(let operand): return .isNull(try bound(operand))
        case .isIn(let operand, let values):
            let operand = try bound(operand)
            return .isIn(operand, try values.map { try compared(operand, bound($0)).1 })
        case .isInQuery(let operand, let query):
            let operand = try bound(operand)
            let query = try bound(query)
            if let column = query.column { _ = try compared(operand, .column(column)) }
            return .isInQuery(operand, query)
        case .isLike(let operand, let pattern):
            return .isLike(try demanding(.text, try bound(operand), "LIKE"), pattern)
        case .exists(let query): return .exists(try bound(query))
        case .isTrue(let operand):
            let bound = try bound(operand)
            switch bound.type {
            case .flag, .null, .value(.boolean), .member: return .isTrue(bound)
            default: throw noTruth(bound, written: operand)
            }
        case .not(let inner): return .not(try bound(inner))
        case .all(let terms): return .all(try terms.map(bound))
        case .any(let terms): return .any(try terms.map(bound))
        }
    }

    /// A server cuts longer names off, and may then take two for one (NAMEDATALEN of PostgreSQL).
    private static var longestAlias: Int { 63 }

    private func bound(_ query: Subquery<WrittenNames>) throws -> Subquery<BoundNames> {
        var inner = self
        inner.scopes.append([])
        var found: [BoundTable] = []
        for written in query.tables {
            let table = try tables.table(written)
            let alias = written.alias ?? written.name
            let taken = Set((scopes.flatMap(\.self) + found).map { tables.compared(catalog: $0.alias) })
            // What the catalog compares is also what the alias is in SQL.
            let name = written.alias.map { tables.compared($0) } ?? table.alias
            guard written.alias == nil || name.utf8.count <= Self.longestAlias else {
                throw ConditionError(
                    "names a table by more than \(Self.longestAlias) bytes", hint: "write a shorter name",
                    at: alias.offset)
            }
            guard !taken.contains(tables.compared(catalog: name)) else {
                throw ConditionError(
                    "reads \(alias.text) within a query that has a table of this name",
                    hint: "name it: \(written.name.text) AS other", at: alias.offset)
            }
            found.append(BoundTable(table: table, alias: name))
        }
        inner.scopes[inner.scopes.count - 1] = found
        return Subquery(
            column: try query.column.map { try inner.bound($0, inQueryAlone: true) }, tables: found,
            condition: try query.condition.map { try inner.bound($0) })
    }

    private func noTruth(_ operand: Operand<BoundNames>, written: Operand<WrittenNames>) -> ConditionError {
        let name = written.name
        let shown = name?.text ?? "a value"
        // Which values are true only its app knows: 0 is not NULL, and 'no' is not ''.
        let hint =
            switch operand.type {
            case .value(.integer), .value(.decimal), .value(.real), .fraction: "write \(shown) <> 0"
            case .value(.text): "write which texts are meant, such as \(shown) = 'yes'"
            case .value(.loose): "write which values are meant, such as \(shown) = 1"
            default: "compare it with a value; of a type that cannot be compared, add a generated column"
            }
        return ConditionError("has \(shown) where a truth value is expected", hint: hint, at: name?.offset)
    }

    // MARK: - Operands

    private func bound(_ operand: Operand<WrittenNames>) throws -> Operand<BoundNames> {
        switch operand {
        case .column(let name): return .column(try bound(name))
        case .literal(let literal): return .literal(literal)
        case .arithmetic(let a, let operation, let b):
            let values = try [a, b].map { try demanding(.integer, try bound($0), operation.rawValue) }
            return .arithmetic(values[0], operation, values[1])
        case .shifted(let value, let seconds):
            return .shifted(try demanding(.time, try bound(value), "INTERVAL"), seconds: seconds)
        case .member(let name, let key):
            let column = try bound(name)
            guard [.json, .text].contains(column.column.type),
                !key.unicodeScalars.contains(where: \.isObeyed),
                !key.contains(where: { $0 == "\"" || $0 == "\\" })
            else {
                throw ConditionError(
                    "asks \(name.name.text) for a member, and it has \(Self.said(column.column))",
                    hint: "->> asks a column of JSON; a key has no \" and no \\", at: name.name.offset)
            }
            return .member(column, key: key)
        case .call(let function, let values):
            var bound = try values.map { try self.bound($0) }
            switch function {
            case .abs: bound = [try demanding(.integer, bound[0], "abs()")]
            case .length, .lower, .upper, .trim:
                bound = [try demanding(.text, bound[0], "\(function.rawValue)()")]
            case .coalesce, .nullif:
                for index in bound.indices.dropFirst() {
                    let pair = try compared(bound[0], bound[index])
                    (bound[0], bound[index]) = (pair.0, pair.1)
                }
                let types = bound.map(\.type)
                guard !types.contains(.member), !types.contains(.fraction), !types.contains(.value(.loose))
                else {
                    throw ConditionError("calls \(function.rawValue)() with values whose class is not known")
                }
            }
            return .call(function, bound)
        case .substring(let text, let from, let count):
            return .substring(try demanding(.text, try bound(text), "substr()"), from: from, count: count)
        }
    }

    /// The operand, if it has this class; a literal NULL has each.
    private func demanding(
        _ type: TypeClass, _ operand: Operand<BoundNames>, _ place: String
    ) throws -> Operand<BoundNames> {
        let fits =
            switch operand.type {
            case .value(let own): own == type || own == .loose && type == .text && place == "LIKE"
            case .flag: false
            case .null: true
            case .member: type == .text
            case .fraction: false
            }
        guard fits else {
            throw ConditionError(
                "has \(Self.said(operand)) beside \(place), which takes \(Self.words(type))")
        }
        return operand
    }

    /// Both, where the values of one class are compared. Throws a ``ConditionError`` where they are of two.
    private func compared(
        _ a: Operand<BoundNames>, _ b: Operand<BoundNames>
    ) throws -> (Operand<BoundNames>, Operand<BoundNames>) {
        // NULL has every class.
        if a.type == .null || b.type == .null {
            for type in [a.type, b.type] where type == .value(.other) || type == .value(.json) {
                throw incomparable(a, b)
            }
            return (a, b)
        }
        for (time, text) in [(a, b), (b, a)] where time.type == .value(.time) {
            guard case .literal(.text(let text)) = text else { continue }
            guard Self.isTime(text) else {
                throw ConditionError(
                    "compares a time with '\(text)'", hint: "a time is written as '2026-01-31 12:00:00+00'")
            }
            return (a, b)
        }
        for (uuid, text) in [(a, b), (b, a)] where uuid.type == .value(.uuid) {
            guard case .literal(.text(let text)) = text else { continue }
            guard Self.isUUID(text) else {
                throw ConditionError(
                    "compares a UUID with '\(text)'",
                    hint: "a UUID is written as '01234567-89ab-cdef-0123-456789abcdef'")
            }
            return (a, b)
        }
        guard a.isRealBeside(b) || b.isRealBeside(a) || a.type.common(with: b.type) != nil else {
            throw incomparable(a, b)
        }
        return (a, b)
    }

    private func incomparable(_ a: Operand<BoundNames>, _ b: Operand<BoundNames>) -> ConditionError {
        let hint: String? =
            switch (a.type, b.type) {
            case (.value(.boolean), .value(.integer)), (.value(.integer), .value(.boolean)):
                "write TRUE or FALSE beside a truth value, and a number beside a number"
            case (.value(.other), _), (_, .value(.other)): "of such a column, ask only whether it IS NULL"
            case (.value(.json), _), (_, .value(.json)): "write column->>'key'"
            default: nil
            }
        return ConditionError("compares \(Self.said(a)) with \(Self.said(b))", hint: hint)
    }

    private static func said(_ operand: Operand<BoundNames>) -> String {
        switch operand {
        case .column(let bound): return "\(bound.column.name) (\(said(bound.column)))"
        case .literal(.text(let text)): return "the text '\(text)'"
        case .literal(.integer(let number)): return "the number \(number)"
        case .literal(.decimal(let number)): return "the number \(number)"
        case .literal(.boolean(let truth)): return truth ? "TRUE" : "FALSE"
        case .literal(.null): return "NULL"
        default:
            switch operand.type {
            case .value(let type): return words(type)
            case .flag: return words(.boolean)
            case .fraction: return words(.decimal)
            case .null: return "NULL"
            case .member: return "a member of JSON"
            }
        }
    }

    private static func said(_ column: TypedColumn) -> String {
        words(column.type) + (column.declared.isEmpty ? "" : ", \(column.declared)")
    }

    private static func words(_ type: TypeClass) -> String {
        switch type {
        case .integer: "integers"
        case .decimal: "exact numbers"
        case .real: "numbers with a fraction"
        case .text: "texts"
        case .boolean: "truth values"
        case .json: "JSON"
        case .time: "times"
        case .uuid: "UUIDs"
        case .loose: "values of any kind"
        case .other: "values that conditions do not compare"
        }
    }

    /// `2026-01-31`, with or without the time of the day, fractions of a second and a zone as a distance.
    private static func isTime(_ text: String) -> Bool {
        let form =
            /([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]{1,6})?)?(?:Z|[+\-][0-9]{2}(?::[0-9]{2})?)?)?/
        guard let match = text.wholeMatch(of: form)?.output else { return false }
        func number(_ part: Substring?) -> Int { part.flatMap { Int($0) } ?? 0 }
        let (year, month, day) = (number(match.1), number(match.2), number(match.3))
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return year > 0 && (1...12).contains(month) && (1...days[max(1, min(12, month)) - 1]).contains(day)
            && number(match.4) < 24 && number(match.5) < 60 && number(match.6) < 60
    }

    private static func isUUID(_ text: String) -> Bool {
        text.wholeMatch(of: /[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/) != nil
    }

    // MARK: - Names

    /// The column of this name, looked up from the innermost query on. A column of a query around it has its table before
    /// it: otherwise a table of the inner query that gets such a column would take the name over.
    private func bound(_ name: WrittenNames.Column, inQueryAlone: Bool = false) throws -> BoundColumn {
        for (depth, scope) in scopes.enumerated().reversed() {
            let named = name.table.map { table in
                scope.filter { tables.compared(catalog: $0.alias) == tables.compared(table) }
            }
            let found = (named ?? scope).compactMap { table in
                column(name.name, of: table).map { BoundColumn(alias: table.alias, depth: depth, column: $0) }
            }
            if let named, let table = named.first, found.isEmpty { throw missing(name, of: [table]) }
            guard found.count < 2 else {
                throw ConditionError(
                    "names \(name.name.text), which two of its tables have",
                    hint: "write its table before it",
                    at: name.name.offset)
            }
            guard let column = found.first else {
                if inQueryAlone { break }
                continue
            }
            let isInner = depth == scopes.count - 1
            guard name.table != nil || isInner && scope.count == 1 || scopes.count == 1 else {
                throw ConditionError(
                    "names \(name.name.text) in a subquery without its table",
                    hint:
                        "write \(column.alias).\(name.name.text): another table of the subquery may get such a column",
                    at: name.name.offset)
            }
            return column
        }
        if let table = name.table {
            let names = scopes.flatMap(\.self).map(\.alias)
            throw ConditionError(
                "names a column of \(table.text), which is no table of it",
                hint: names.nearest(to: table.text).map { "did you mean \($0)?" }
                    ?? "its tables are \(names.joined(separator: ", "))", at: table.offset)
        }
        throw missing(name, of: scopes.last ?? [])
    }

    private func column(_ name: SQLName, of table: BoundTable) -> TypedColumn? {
        let wanted = tables.compared(name)
        return table.table.columns.first { tables.compared(catalog: $0.name) == wanted }
    }

    private func missing(_ name: WrittenNames.Column, of tables: [BoundTable]) -> ConditionError {
        let names = tables.flatMap { $0.table.columns.map(\.name) }
        let near =
            names.first { $0.lowercased() == name.name.text.lowercased() }
            ?? names.nearest(to: name.name.text)
        let isText = name.name.isQuoted && near == nil
        return ConditionError(
            "names \(name.name.text), which is no column of \(tables.map(\.table.name).joined(separator: " or "))",
            hint: near.map { "did you mean \"\($0)\"?" }
                ?? (isText ? "a text stands in '', and a name in \"\"" : columns(of: tables)),
            at: name.name.offset)
    }

    private func columns(of tables: [BoundTable]) -> String {
        tables.map {
            "the columns of \($0.table.name) are " + $0.table.columns.map(\.name).joined(separator: ", ")
        }
        .joined(separator: "; ")
    }
}

extension Operand<WrittenNames> {
    fileprivate var name: SQLName? {
        switch self {
        case .column(let column), .member(let column, _): column.name
        default: nil
        }
    }
}

extension Condition<BoundNames> {
    /// The columns that it reads, those of its subqueries included.
    package var columns: [BoundColumn] {
        switch self {
        case .comparison(let a, _, let b): a.columns + b.columns
        case .isNull(let operand), .isLike(let operand, _), .isTrue(let operand): operand.columns
        case .isIn(let operand, let values): operand.columns + values.flatMap(\.columns)
        case .isInQuery(let operand, let query): operand.columns + query.columns
        case .exists(let query): query.columns
        case .not(let inner): inner.columns
        case .all(let terms), .any(let terms): terms.flatMap(\.columns)
        }
    }

    /// The operands whose values it compares or tests, in subqueries, too, each as which class.
    package var judged: [(Operand<BoundNames>, TypeClass)] {
        switch self {
        case .comparison(let a, _, let b): a.judged(beside: b)
        case .isIn(let operand, let values): values.flatMap { operand.judged(beside: $0) }
        case .isLike(let operand, _): [(operand, .text)]
        case .isTrue(let operand): [(operand, .boolean)]
        case .isNull: []
        case .exists(let query): query.condition?.judged ?? []
        case .isInQuery(let operand, let query):
            operand.judged(beside: query.column.map { .column($0) } ?? .literal(.null))
                + (query.condition?.judged ?? [])
        case .not(let inner): inner.judged
        case .all(let terms), .any(let terms): terms.flatMap(\.judged)
        }
    }

    /// Its subqueries, and those in them.
    package var subqueries: [Subquery<BoundNames>] {
        switch self {
        case .exists(let query), .isInQuery(_, let query): [query] + (query.condition?.subqueries ?? [])
        case .not(let inner): inner.subqueries
        case .all(let terms), .any(let terms): terms.flatMap(\.subqueries)
        default: []
        }
    }
}

extension Operand<BoundNames> {
    /// The two, each as the class as which they are compared. Values of any kind are as the other is; of two such, each is as it
    /// is.
    fileprivate func judged(beside other: Operand) -> [(Operand, TypeClass)] {
        guard type != .null, other.type != .null else { return [] }
        let common = common(with: other)
        guard common == .loose else { return [(self, common), (other, common)] }
        let typed = [self, other].first { $0.type != .value(.loose) }
        return typed.map { typed in
            let type: TypeClass = typed.type == .value(.text) ? .text : .integer
            return [(self, type), (other, type)]
        } ?? []
    }
}

extension Subquery<BoundNames> {
    var columns: [BoundColumn] { (column.map { [$0] } ?? []) + (condition?.columns ?? []) }
}
