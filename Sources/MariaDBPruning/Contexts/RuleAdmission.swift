import Retention
import RuleEngine

extension Connection {
    /// The triggers that fire when the rule changes its rows and those that go with them. Throws a ``SchemaMismatch`` if one of
    /// them is not `allowed`, or cannot be read.
    func triggers(of bound: BoundRule, allowing allowed: Set<String>) throws -> [AppTrigger] {
        let event = bound.mark == nil ? "DELETE" : "UPDATE"
        let firing = try bound.changedTables.flatMap { table in
            try triggers(on: table).filter { trigger in
                let isDeleted = table == bound.relation || bound.paths.contains { $0.last?.child == table }
                let isDetached = bound.detached.contains { $0.child == table }
                return isDeleted && trigger.event == (table == bound.relation ? event : "DELETE")
                    || isDetached && trigger.event == "UPDATE"
            }
        }
        for trigger in firing {
            guard trigger.statement != nil else { throw try unreadable(trigger) }
            guard allowed.contains(trigger.name) else {
                throw SchemaMismatch(
                    "trigger \(trigger.name) on \(trigger.table) would run, which no gate of the store knows",
                    hint:
                        "a preset, or [[store.NAME.schema]] with triggers = [\(trigger.name.inQuotes)], can know it"
                )
            }
        }
        return firing
    }

    /// Throws a ``SchemaMismatch`` with the GRANT that the user lacks. A transaction that only reads refuses what the user may
    /// do, and the server what they may not.
    func checkRights(of bound: BoundRule) throws {
        for table in bound.changedTables { try checkReading(of: table) }
        try checkRight(to: bound.mark.map { .mark($0) } ?? .delete, bound.relation)
        for child in bound.paths.compactMap(\.last?.child) { try checkRight(to: .delete, child) }
        for step in bound.detached {
            try checkRight(
                to: .mark(Mark(columns: [.init(step.key.childColumns[0], literal: "NULL")])), step.child)
        }
    }

    /// Throws a ``SchemaMismatch`` with the GRANT if the user may not do something to rows of the table.
    func checkRight(to change: RowChange, _ table: Relation) throws {
        do throws(ServerError) { try query("EXPLAIN \(change.statement(on: table))") } catch {
            guard error.isLackOfRight else { return }
            throw SchemaMismatch(
                "the user may not \(change.verb) \(table.description)",
                hint: try grant(change.right(on: table), on: table.tableName))
        }
    }

    /// Throws a ``SchemaMismatch`` if there are tables of the rule, or columns of its own, that the catalog hides from the user,
    /// and so seem to be none.
    func checkSight(of rule: RetentionRule) throws {
        try checkSight(of: rule.table, needing: rule.neededRights)
        for name in names(of: rule.table) {
            if let own = try relation(name) { try checkReading(of: own) }
        }
        for name in rule.tables where name != rule.table {
            try checkSight(
                of: name, needing: rule.dependents.contains(name) ? RetentionRule.deletingRights : "SELECT")
        }
    }

    /// Throws a ``SchemaMismatch`` with the GRANT if the database has a table of this name, and the catalog hides it.
    func checkSight(of text: String, needing rights: String) throws {
        let names = names(of: text)
        guard try !names.contains(where: { try relation($0) != nil }),
            let hidden = try names.first(where: { try isOfInnoDB($0) })
        else { return }
        throw SchemaMismatch(
            "the user may not see table \(hidden)", hint: try grant(rights, on: hidden))
    }

    /// The catalog hides columns on which the user has no right: a row would be archived without them.
    private func checkReading(of table: Relation) throws {
        do throws(ServerError) { try query("SELECT * FROM \(table.sql) LIMIT 0") } catch {
            guard error.isLackOfRight else { return }
            throw SchemaMismatch(
                "the user may not read all columns of \(table.description)",
                hint: try grant("SELECT", on: table.tableName))
        }
    }
}

/// What is done to rows of a table, for which a user needs a right.
enum RowChange {
    case delete
    case mark(Mark)
    /// Puts rows back with these columns.
    case insert([String])

    fileprivate var verb: String {
        switch self {
        case .delete, .mark: "change rows of"
        case .insert: "put rows into"
        }
    }

    /// As in a GRANT.
    fileprivate func right(on table: Relation) -> String {
        switch self {
        case .delete: "DELETE"
        case .mark(let mark): "UPDATE (\(mark.changed(in: table).listedInBackticks))"
        case .insert: "INSERT"
        }
    }

    /// A statement that takes the right, and changes nothing.
    fileprivate func statement(on table: Relation) -> String {
        switch self {
        case .delete: return "DELETE FROM \(table.sql) WHERE FALSE"
        case .mark(let mark): return "UPDATE \(table.sql) SET \(mark.assignments(in: table)) WHERE FALSE"
        case .insert(let names):
            let columns = names.map(\.quotedIdentifier).joined(separator: ", ")
            return "INSERT INTO \(table.sql) (\(columns)) SELECT \(columns) FROM \(table.sql) WHERE FALSE"
        }
    }
}

extension RetentionRule {
    static let deletingRights = "SELECT, DELETE, TRIGGER"

    /// What a user needs on the rule's table at least, as in a GRANT.
    var neededRights: String {
        guard case .mark(let marked) = action else { return Self.deletingRights }
        return "SELECT, UPDATE (\(marked.map(\.column).listedInBackticks)), TRIGGER"
    }
}

extension [String] {
    var listedInBackticks: String { map(\.inBackticks).joined(separator: ", ") }
}

extension StoreGate.Known {
    /// Throws a ``SchemaMismatch`` if a rule reads, writes or reaches a table that is not in this schema, about which nothing was
    /// compared.
    func cover(_ bound: BoundRule, in connection: Connection) throws {
        let own = Set(schema.tables.flatMap { connection.names(of: $0.name) })
        let reached =
            [bound.relation] + bound.keepers.map(\.relation) + bound.others
            + bound.paths.compactMap(\.last?.child) + bound.detached.map(\.child)
            + bound.holding.map(\.child)
        for table in reached where !own.contains(table.tableName) {
            throw SchemaMismatch.uncovered(table.description, by: versions, through: "a foreign key")
        }
    }
}
