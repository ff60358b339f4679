/// What an expression means to the server: every function, operator, type, table and column that it found for it.
///
/// An expression calls more than the functions that it names: those of its operators and of casts that nobody wrote. So
/// the server is asked, by the one setting that lets it say what it found before it plans or runs anything.
struct ExpressionTree {
    /// The functions that it calls, also those of aggregates.
    private(set) var functions: Set<Int> = []
    private(set) var operators: Set<Int> = []
    private(set) var aggregates: Set<Int> = []
    private(set) var types: Set<Int> = []
    /// The types into which it turns values by way of their text.
    private(set) var parsedTypes: Set<Int> = []
    /// The tables that it names with their schema.
    private(set) var relations: Set<Int> = []
    /// The positions, among the common tables of the statement, of those that it reads.
    private(set) var common: [Int] = []
    private(set) var readsRow = false
    /// The columns that it reads, each with its place in the statement, in bytes.
    private(set) var columns: [Column] = []
    private(set) var hasTimeConstant = false
    private(set) var comparisons: [Comparison] = []
    private(set) var applications: [Application] = []
    /// Why it is no expression, in the server's order, and where.
    private(set) var refusals: [(reason: String, hint: String, location: Int?)] = []

    struct Column {
        let number: Int
        let type: Int
        let location: Int
        /// How many queries lie between the place and the column's table.
        let levelsUp: Int
        /// Whether it is one of the rule's table.
        let isOfRow: Bool
    }

    /// A comparison of a column of a subquery's table with a column of a query around it.
    struct Comparison: Equatable {
        /// The place of the subquery's column in the statement, in bytes.
        let inner: Int
    }

    /// A function or an operator, and what it is applied to.
    struct Application {
        let function: Int?
        let operation: Int?
        /// The types of its arguments as they are written: before casts that nobody wrote.
        let types: Set<Int>
        /// Whether it takes the elements of an array.
        let takesElements: Bool
        /// Its place in the statement, in bytes.
        let location: Int?
    }

    /// Reads the tree of `SELECT FROM table WHERE expression`. Nil if it is none.
    init?(_ text: String) {
        guard let query = ServerNode(text), query.name == "QUERY", query.number("commandType") == 1,
            query.nodes("rtable").count == 1
        else { return nil }
        common = query.nodes("cteList").enumerated().filter { ($0.element.number("cterefcount") ?? 1) > 0 }
            .map(\.offset)
        visit(query.node("jointree"), 0)
    }

    private mutating func refuse(_ reason: String, _ hint: String, _ node: ServerNode) {
        refusals.append((reason, hint, node.number("location").flatMap { $0 < 0 ? nil : $0 }))
    }

    private mutating func visit(_ node: ServerNode?, _ depth: Int) {
        guard let node else { return }
        switch node.name {
        case "QUERY": return visitQuery(node, depth + 1)
        case "VAR": visitColumn(node, depth)
        case "RANGETBLENTRY", "RTE": visitTable(node)
        case "JOINEXPR":
            if node.isTrue("isNatural") {
                refuse(
                    "joins tables by all columns that have the same names, which may become more",
                    "write ON or USING instead of NATURAL", node)
            }
        case "CONST":
            hasTimeConstant = hasTimeConstant || !Self.timeless.contains(node.number("consttype") ?? 0)
        case "COERCEVIAIO": parsedTypes.formUnion([node.number("resulttype") ?? 0])
        case "AGGREF":
            aggregates.formUnion([node.number("aggfnoid") ?? 0])
        case "PARAM":
            if node.number("paramkind") != 2 { refuse("has a parameter", "write the value itself", node) }
        case "SQLVALUEFUNCTION":
            refuse(
                "depends on the time at which it is evaluated, or on who evaluates it",
                "the age of a row is judged by age_column and keep", node)
        case "WINDOWFUNC":
            refuse("has a window function", "write a condition on columns; keep_last keeps the newest", node)
        case "COERCETODOMAIN", "COERCETODOMAINVALUE":
            refuse(
                "turns a value into a domain, whose checks are its owner's", "cast to a built-in type", node)
        case "FIELDSELECT", "CONVERTROWTYPEEXPR", "FIELDSTORE":
            refuse("takes a row as a value", "name the column that is meant", node)
        case "JSONEXPR":
            // RETURNING makes a value of any type of a text, which may be 'now'.
            refuse(
                "calls JSON_VALUE, JSON_QUERY or JSON_EXISTS, whose result may depend on the time",
                "write extra->>'name' or extra @? '$.path'", node)
        case let name where !Self.known.contains(name):
            refuse(
                "has a part that rules cannot have (\(name.lowercased()))", "write a simpler condition", node)
        default: break
        }
        for field in ["funcid", "opfuncid", "aggfnoid"] {
            if let number = node.number(field) { functions.insert(number) }
        }
        for field in ["opno", "eqop", "sortop"] {
            if let number = node.number(field), number > 0 { operators.insert(number) }
        }
        operators.formUnion(node.numbers("opnos"))
        for field in Self.typeFields {
            if let number = node.number(field), number > 0 { types.insert(number) }
        }
        if node.name == "OPEXPR" { noteComparison(node) }
        noteApplication(node)
        for child in node.children(besides: ["eref", "alias"]) { visit(child, depth) }
    }

    private mutating func visitQuery(_ query: ServerNode, _ depth: Int) {
        if query.number("commandType") != 1 || query.has("utilityStmt") {
            refuse("does more than read", "write a condition", query)
        }
        if query.has("cteList") {
            refuse("has WITH", "write the query where its rows are used", query)
        }
        if query.has("rowMarks") || query.isTrue("hasForUpdate") {
            refuse("locks rows", "leave out FOR UPDATE and FOR SHARE", query)
        }
        for child in query.children(besides: ["cteList", "rowMarks"]) { visit(child, depth) }
    }

    private mutating func visitColumn(_ node: ServerNode, _ depth: Int) {
        let (number, levelsUp) = (node.number("varattno") ?? 0, node.number("varlevelsup") ?? 0)
        let isOfRow = levelsUp == depth
        if isOfRow { readsRow = true }
        if number == 0 {
            refuse(
                "takes a whole row as a value, which changes with the table's columns",
                "name the column that is meant", node)
        } else if number < 0 {
            refuse(
                "reads a column of the server's own, such as ctid", "name a column of the table", node)
        }
        columns.append(
            Column(
                number: number, type: node.number("vartype") ?? 0, location: node.number("location") ?? -1,
                levelsUp: levelsUp, isOfRow: isOfRow))
    }

    private mutating func visitTable(_ node: ServerNode) {
        if node.has("tablesample") {
            refuse("takes a sample of rows", "leave out TABLESAMPLE", node)
        }
        switch node.number("rtekind") {
        case 0: relations.insert(node.number("relid") ?? 0)
        case 1, 2, 3, 5, 6, 8, 9: break
        default: refuse("reads something that is no table", "read an ordinary table", node)
        }
    }

    private mutating func noteComparison(_ node: ServerNode) {
        let sides = node.nodes("args").map(\.column).compactMap(\.self)
        guard sides.count == 2, let inner = sides.first(where: { $0.number("varlevelsup") == 0 }),
            sides.contains(where: { $0.number("varlevelsup") ?? 0 > 0 }),
            let location = inner.number("location")
        else { return }
        comparisons.append(Comparison(inner: location))
    }

    private mutating func noteApplication(_ node: ServerNode) {
        let arguments = node.nodes("args") + node.nodes("largs") + node.nodes("rargs")
        let types = Set(arguments.compactMap(\.writtenType))
        func note(function: Int? = nil, operation: Int? = nil) {
            applications.append(
                Application(
                    function: function, operation: operation, types: types,
                    takesElements: node.name == "SCALARARRAYOPEXPR",
                    location: node.number("location").flatMap { $0 < 0 ? nil : $0 }))
        }
        switch node.name {
        case "OPEXPR", "DISTINCTEXPR", "NULLIFEXPR", "SCALARARRAYOPEXPR": note(operation: node.number("opno"))
        case "ROWCOMPARE", "ROWCOMPAREEXPR": node.numbers("opnos").forEach { note(operation: $0) }
        case "AGGREF": note(function: node.number("aggfnoid"))
        // A cast is the same for everybody.
        case "FUNCEXPR" where ![1, 2].contains(node.number("funcformat")):
            note(function: node.number("funcid"))
        default: break
        }
    }

    /// Nodes that calculate from columns and constants alone, and those around them. PostgreSQL 16 names some anew.
    private static let known: Set = [
        "ALIAS", "ARRAY", "ARRAYCOERCEEXPR", "ARRAYEXPR", "BOOLEANTEST", "BOOLEXPR", "CASE", "CASEEXPR",
        "CASETESTEXPR", "CASEWHEN", "COALESCE", "COALESCEEXPR", "COLLATEEXPR", "DISTINCTEXPR", "FROMEXPR",
        "FUNCEXPR", "INTEGER", "JSONFORMAT", "JSONISPREDICATE", "MINMAX", "MINMAXEXPR", "NAMEDARGEXPR",
        "NULLIFEXPR", "NULLTEST", "OPEXPR",
        "RANGETBLFUNCTION", "RANGETBLREF", "RELABELTYPE", "ROW", "ROWCOMPARE", "ROWCOMPAREEXPR", "ROWEXPR",
        "RTEPERMISSIONINFO", "SCALARARRAYOPEXPR", "SETOPERATIONSTMT", "SORTGROUPCLAUSE", "STRING", "SUBLINK",
        "SUBSCRIPTINGREF", "TARGETENTRY", "WHEN",
        "CONST", "COERCEVIAIO", "AGGREF", "PARAM", "VAR", "RANGETBLENTRY", "RTE", "JOINEXPR", "QUERY",
    ]

    private static let typeFields = [
        "vartype", "consttype", "resulttype", "funcresulttype", "opresulttype", "aggtype", "casetype",
        "coalescetype", "minmaxtype", "array_typeid", "element_typeid", "row_typeid", "refcontainertype",
        "refelemtype", "refrestype", "paramtype",
    ]

    /// Types of which no text means the present: bool, bytea, "char", name, int8, int2, int4, text, oid, json, float4,
    /// float8, unknown, bpchar, varchar, interval, numeric, uuid, jsonb, and arrays of int4, text, int8 and varchar.
    private static let timeless: Set = [
        16, 17, 18, 19, 20, 21, 23, 25, 26, 114, 700, 701, 705, 1042, 1043, 1186, 1700, 2950, 3802, 1007,
        1009,
        1016, 1015,
    ]
}

extension ServerNode {
    /// The type of the value before casts that nobody wrote.
    fileprivate var writtenType: Int? {
        switch name {
        case "TARGETENTRY": return node("expr")?.writtenType
        case "COLLATEEXPR": return node("arg")?.writtenType
        case "SUBLINK": return node("subselect")?.nodes("targetList").first?.writtenType
        default: break
        }
        let isImplicit = ["relabelformat", "coerceformat", "funcformat"].contains { number($0) == 2 }
        if isImplicit { return (node("arg") ?? nodes("args").first)?.writtenType }
        return Self.ownTypeFields.lazy.compactMap { self.number($0) }.first
    }

    private static let ownTypeFields = [
        "vartype", "consttype", "resulttype", "funcresulttype", "opresulttype", "aggtype", "casetype",
        "typeId",
        "coalescetype", "minmaxtype", "array_typeid", "row_typeid", "refrestype", "refelemtype", "paramtype",
    ]

    /// The column that this is, perhaps as another type.
    fileprivate var column: ServerNode? {
        switch name {
        case "VAR": self
        case "RELABELTYPE": node("arg")?.column
        case "FUNCEXPR" where number("funcformat") == 2: nodes("args").first?.column
        default: nil
        }
    }
}
