/// The columns of other tables that refer to rows of a table, and what follows for a rule on it.
struct Referrers {
    private(set) var dependents: [RuleProposal.Reasoned] = []
    private(set) var keptBy: [RuleProposal.Reasoned] = []
    private(set) var remarks: [String] = []
    /// Why a rule could delete what matters.
    private(set) var doubts: [String] = []

    init(of table: TableSketch, in store: [TableSketch]) {
        for reference in table.references {
            add(reference, table, store.first { $0.name == reference.table })
        }
        let declared = Set(table.references.map { [$0.table, $0.column] })
        let targets = store.map(ReferenceTarget.init)
        let target = ReferenceTarget(table)
        let silent = store.filter { $0.name != table.name }.flatMap { other in
            other.columns.filter(target.seemsMeant).map { (other, $0) }
        }
        for (other, column) in silent where !declared.contains([other.name, column.name]) {
            add(column, of: other, to: target)
        }
        let known = Set(table.references.map(\.table) + silent.map(\.0.name))
        for other in store where other.name != table.name && !known.contains(other.name) {
            guard let column = other.markOfUnknown(among: targets) else { continue }
            doubts.append(
                "\(other.name).\(column) may say which rows matter, of a table that it does not name")
        }
        // A table that keeps rows is not one that goes with them.
        let keepers = Set(keptBy.compactMap { ColumnReference(qualified: $0.value)?.table })
        dependents = Set(dependents.map(\.value)).subtracting(keepers).sorted().map {
            RuleProposal.Reasoned(value: $0, reason: "its rows go with theirs, by its foreign key")
        }
    }

    /// A foreign key.
    private mutating func add(_ reference: ReferenceSketch, _ table: TableSketch, _ other: TableSketch?) {
        let name = "\(reference.table).\(reference.column)"
        let role = TableRole(reference.table)
        if reference.table == table.name {
            doubts.append("its own rows refer to each other, by \(reference.column)")
            return
        }
        if role == .mark, reference.refersToKey {
            keptBy.append(RuleProposal.Reasoned(value: name, reason: "what a person marked stays"))
            return
        }
        if reference.cascades {
            dependents.append(RuleProposal.Reasoned(value: reference.table, reason: ""))
        } else {
            keptBy.append(
                RuleProposal.Reasoned(value: name, reason: "its foreign key refuses that a row goes"))
        }
        if let column = other?.stateColumn {
            doubts.append("\(reference.table).\(column) may say which of its rows matter")
        } else if role != .part || other == nil {
            doubts.append(
                "rows of \(reference.table) belong to its rows, by a foreign key:"
                    + " they may be worth more than a row's age says, as the items of a feed are")
        }
    }

    /// A column without a foreign key.
    private mutating func add(_ column: ColumnSketch, of other: TableSketch, to target: ReferenceTarget) {
        let name = "\(other.name).\(column.name)"
        let role = TableRole(other.name)
        let hint =
            "\(name) may refer to it, without a foreign key; kept_by = \"\(name)\" keeps what it refers to"
        if role == .mark, column.hasValues(like: target.key) {
            keptBy.append(
                RuleProposal.Reasoned(
                    value: name, reason: "what a person marked stays; by its name, without a foreign key"))
        } else if let state = other.stateColumn {
            doubts.append(hint + "; \(other.name).\(state) may say which rows matter")
        } else if role == .part {
            remarks.append(hint)
        } else {
            doubts.append(hint)
        }
    }
}

extension TableSketch {
    /// A column that says whether a row is read or wanted.
    fileprivate var stateColumn: String? {
        columns.first { column in
            NameWords(column.name).meaning.map { $0 != .gone } ?? false
        }?.name
    }

    /// For a table of marks or states: the column that refers to rows of no table that is known; nil if it refers to a
    /// known one, or to none.
    fileprivate func markOfUnknown(among targets: [ReferenceTarget]) -> String? {
        guard [.mark, .state].contains(TableRole(name)) else { return nil }
        let own = ReferenceTarget(self)
        let others = targets.filter { $0.name != name }
        let columns = columns.map { column -> (column: ColumnSketch, role: TableRole?) in
            let target = others.first { $0.name == column.refersTo || $0.seemsMeant(by: column) }
            return (column, target?.role ?? column.refersTo.map { TableRole($0) })
        }
        guard !columns.contains(where: { $0.role == .plain }) else { return nil }
        return columns.first { $0.role == nil && own.isOther(than: $0.column) }?.column.name
    }
}

extension ColumnSketch {
    /// Whether its values are of the kinds that the key has.
    func hasValues(like key: ColumnSketch?) -> Bool {
        let own = Set(values.compactMap(\.kind))
        let others = Set((key?.values ?? []).compactMap(\.kind))
        return !own.isEmpty && own.isSubset(of: others)
    }
}

extension SketchedValue {
    /// Nil for NULL.
    fileprivate var kind: Int? {
        switch self {
        case .null: nil
        case .integer: 0
        case .real: 1
        case .text: 2
        case .blob: 3
        }
    }
}
