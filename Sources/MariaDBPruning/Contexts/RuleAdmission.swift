import Retention
import RuleEngine

extension Connection {
    /// The triggers that fire when the rule changes its rows and those that go with them. Throws a ``SchemaMismatch`` if one of
    /// them is not `allowed`, or cannot be read.
    func triggers(of bound: BoundRule, allowing allowed: Set<String>) throws -> [AppTrigger] {
        let event = bound.mark == nil ? "DELETE" : "UPDATE"
        let firing = try bound.changedTables.flatMap { table in
            try triggers(on: table).filter { $0.event == (table == bound.relation ? event : "DELETE") }
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
        let verb =
            bound.mark.map { "UPDATE \(bound.relation.sql) SET \($0.assignments(in: bound.relation))" }
            ?? "DELETE FROM \(bound.relation.sql)"
        let statements =
            [(bound.mark == nil ? "DELETE" : "UPDATE", bound.relation, verb)]
            + bound.paths.compactMap(\.last?.child).map { ("DELETE", $0, "DELETE FROM \($0.sql)") }
        for table in bound.changedTables {
            // The catalog hides columns on which the user has no right: a row would be archived without them.
            do throws(ServerError) { try query("SELECT * FROM \(table.sql) LIMIT 0") } catch {
                guard error.code == 1_142 || error.code == 1_143 else { continue }
                throw SchemaMismatch(
                    "the user may not read all columns of \(table.description)",
                    hint: try grant("SELECT", on: table.tableName))
            }
        }
        for (right, table, statement) in statements {
            do throws(ServerError) { try query("EXPLAIN \(statement) WHERE FALSE") } catch {
                guard error.code == 1_142 || error.code == 1_143 else { continue }
                throw SchemaMismatch(
                    "the user may not change rows of \(table.description)",
                    hint: try grant(right, on: table.tableName))
            }
        }
    }
}

extension StoreGate.Known {
    /// Throws a ``SchemaMismatch`` if a rule reads, writes or reaches a table that is not in this schema, about which nothing was
    /// compared.
    func cover(_ bound: BoundRule, in connection: Connection) throws {
        let own = Set(schema.tables.flatMap { connection.names(of: $0.name) })
        let reached =
            [bound.relation] + bound.keepers.map(\.relation) + bound.others
            + bound.paths.compactMap(\.last?.child)
            + bound.holding.map(\.child)
        for table in reached where !own.contains(table.tableName) {
            throw SchemaMismatch.uncovered(table.description, by: versions, through: "a foreign key")
        }
    }
}
