import SQLite

/// The foreign keys by which rows of a rule's table refer to others of it. A row goes after all rows that refer to it, or with
/// them in one statement, and stays while one of them stays.
///
/// So none of these keys ever acts, and none is violated between two batches.
extension ExpiryCondition {
    /// SQL that is true of `row`, the name of a row of the rule's table, if no row that stays refers to it, directly or
    /// through rows that would go; nil without such keys.
    ///
    /// Each row that is referred to has the numbers of the rules before which rows that refer to it do not go: this rule has
    /// the number `last`, those before it the numbers before. So the earlier rules need no such query of their own here, and
    /// with many rules the SQL is not nested. SQLite reads the table once for it in each statement.
    func notReferredTo(_ row: String) -> String? {
        guard !bound.ownKeys.isEmpty else { return nil }
        let (child, parent, held) = (row + " child", row + " parent", (row + " held").quotedIdentifier)
        let turns = earlier.turns(child, of: bound.table.name) + [(ageAndTerms(child), true)]
        let last = turns.count
        let columns = bound.table.key + [bound.table.key.joined() + " until"]  // no column's name
        let names = columns.map(\.quotedIdentifier)
        let until = "\(held).\(names[names.count - 1])"
        func goes(waiting isHeld: Bool) -> String {
            let whens = turns.enumerated().dropFirst(isHeld ? 0 : 1).map { index, turn in
                let waited = turn.waits && isHeld ? "\(until) <= \(index + 1) AND " : ""
                return "WHEN \(waited)(\(turn.takes)) THEN \(index + 1) "
            }
            return whens.isEmpty ? "\(last + 1)" : "CASE \(whens.joined())ELSE \(last + 1) END"
        }
        let isHeld = bound.table.key.map {
            "\(child.quotedIdentifier).\($0.quotedIdentifier) = \(held).\($0.quotedIdentifier)"
        }
        let table = bound.table.name.quotedIdentifier
        let pairs = bound.ownKeys.map {
            """
            \(table) AS \(child.quotedIdentifier) CROSS JOIN \(table) AS \(parent.quotedIdentifier) \
            ON \($0.matches(child: child, parent: parent))
            """
        }
        let first = pairs.map {
            "SELECT \(key(of: parent)), \(goes(waiting: false)) FROM \($0) WHERE (\(turns[0].takes)) IS NOT 1"
        }
        let next = pairs.map {
            """
            SELECT \(key(of: parent)), \(goes(waiting: true)) FROM \(held) CROSS JOIN \($0) \
            WHERE \(isHeld.joined(separator: " AND "))
            """
        }
        return """
            (\(key(of: row))) NOT IN (WITH RECURSIVE \(held) (\(names.joined(separator: ", "))) AS \
            (\((first + next).joined(separator: " UNION "))) \
            SELECT \(names.dropLast().joined(separator: ", ")) FROM \(held) WHERE \(until) > \(last))
            """
    }

    /// SQL for the columns that identify `row`, the name of a row of the rule's table.
    private func key(of row: String) -> String {
        bound.table.key.map { row.quotedIdentifier + "." + $0.quotedIdentifier }.joined(separator: ", ")
    }

    /// How many rows would go if no row that stays referred to them; nil without such keys.
    func countReferredTo(in db: Database) throws -> Int64? {
        let row = bound.table.name
        return try notReferredTo(row).map { isFree in
            let place = "(\(ageAndTerms(row))) AND NOT (\(isFree))"
            return try db.value("SELECT count(*) FROM \(row.quotedIdentifier) WHERE \(place)", values())
                .integer
        }
    }

    /// SQL that is true of those rows of `place` to which no other rows refer, directly or through rows of `place`, so that
    /// they may go in one statement; nil if each row has to wait, or none.
    func notReferredTo(fromOutside place: String) -> String? {
        guard bound.goTogether else { return nil }
        let row = bound.table.name
        let (child, parent, table) = (row + " child", row + " parent", row.quotedIdentifier)
        let (going, held) = ((row + " going").quotedIdentifier, (row + " held").quotedIdentifier)
        let names = bound.table.key.map(\.quotedIdentifier).joined(separator: ", ")
        func rows(_ found: String, _ name: String) -> String {
            let isFound = bound.table.key.map(\.quotedIdentifier).map {
                "\(name.quotedIdentifier).\($0) = \(found).\($0)"
            }
            return
                "\(found) CROSS JOIN \(table) AS \(name.quotedIdentifier) ON \(isFound.joined(separator: " AND "))"
        }
        let first = bound.ownKeys.map {
            """
            SELECT \(key(of: parent)) FROM \(rows(going, parent)) CROSS JOIN \(table) AS \(child.quotedIdentifier) \
            ON \($0.matches(child: child, parent: parent)) WHERE (\(key(of: child))) NOT IN (SELECT * FROM \(going))
            """
        }
        let next = bound.ownKeys.map {
            """
            SELECT \(key(of: parent)) FROM \(rows(held, child)) CROSS JOIN \(table) AS \(parent.quotedIdentifier) \
            ON \($0.matches(child: child, parent: parent)) WHERE (\(key(of: parent))) IN (SELECT * FROM \(going))
            """
        }
        return """
            (\(key(of: row))) NOT IN (WITH RECURSIVE \(going) (\(names)) AS (SELECT \(key(of: row)) \(bound.from(place))), \
            \(held) (\(names)) AS (\((first + next).joined(separator: " UNION "))) SELECT * FROM \(held))
            """
    }

    /// SQL that is true if no row but the row itself refers to it now; nil if rows need not wait for that.
    var notReferredToNow: String? {
        guard !bound.ownKeys.isEmpty, !bound.goTogether else { return nil }
        let (row, child) = (bound.table.name, bound.table.name + " child")
        let isItself = bound.table.key.map {
            "\(child.quotedIdentifier).\($0.quotedIdentifier) IS \(row.quotedIdentifier).\($0.quotedIdentifier)"
        }.joined(separator: " AND ")
        return bound.ownKeys.map {
            """
            NOT EXISTS (SELECT 1 FROM \(row.quotedIdentifier) AS \(child.quotedIdentifier) \
            WHERE \($0.matches(child: child, parent: row)) AND NOT (\(isItself)))
            """
        }.joined(separator: " AND ")
    }
}
