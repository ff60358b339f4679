import Pruning
import Retention
import SQLite

/// Counts the rows that are old enough to be deleted but stay, by reason.
struct OldRowsCount {
    let condition: ExpiryCondition

    /// A reason and what it means for the table: SQL that is true of a row that stays because of it.
    private typealias Test = (reason: ExemptRows.Reason, sql: String)

    /// `total` is the number of these rows. A row that stays for several reasons counts for the first of them.
    func take(_ total: Int64, in db: Database) throws -> ExemptRows {
        var stay = ExemptRows()
        stay.leasesEnd = condition.leasesEnd
        guard total > 0 else { return stay }
        let hasKeeper = !condition.bound.keepers.isEmpty
        var tests = tests
        // If only one reason is possible, the rows need not be read.
        guard tests.count + (hasKeeper ? 1 : 0) > 1 else {
            if hasKeeper {
                stay.rows[.keptBy] = total
            } else if let only = tests.first {
                stay.rows[only.reason] = total
            }
            return stay
        }
        // The last reason gets what the others leave.
        let last = hasKeeper ? ExemptRows.Reason.keptBy : tests.removeLast().reason
        var left = total
        for (test, count) in try zip(tests, count(tests.map(\.sql), in: db)) {
            stay.rows[test.reason] = count
            left -= count
        }
        stay.rows[last] = max(0, left)
        return stay
    }

    private var tests: [Test] {
        let conditions = condition.bound.conditions
        var tests: [Test] = []
        if let notLeased = condition.notLeased { tests.append((.leased, "NOT (\(notLeased))")) }
        if let wanted = conditions.wanted {
            tests.append((.condition, "(\(condition.afterMarks(wanted.isTrue))) IS NOT 1"))
        }
        tests += conditions.protections.enumerated().map {
            (.protection($0.offset), "(\(condition.afterMarks($0.element.isFalse))) IS NOT 1")
        }
        if let isNewest = condition.isNewest { tests.append((.newest, isNewest)) }
        if let hasKey = condition.hasKey { tests.append((.keyless, "NOT (\(hasKey))")) }
        if let isFree = condition.notReferredTo(condition.bound.table.name) {
            tests.append((.referredTo(condition.bound.binding.ownKeyNames), "NOT (\(isFree))"))
        }
        return tests
    }

    /// For each of `terms`, the number of rows before the cutoff of which it is the first that is true.
    private func count(_ terms: [String], in db: Database) throws -> [Int64] {
        let cases = terms.enumerated().map { "WHEN \($1) THEN \($0)" }.joined(separator: " ")
        let rows = try db.rows(
            """
            SELECT CASE \(cases) END, count(*) FROM \(condition.bound.table.name.quotedIdentifier) \
            WHERE \(condition.beforeCutoff.joined(separator: " AND ")) GROUP BY 1
            """, condition.values(and: ["cutoff": .int64(condition.task.window.cutoff)]))
        var counts = terms.map { _ in Int64(0) }
        for row in rows {
            if case .int64(let index) = row[0] { counts[Int(index)] = row[1].integer }
        }
        return counts
    }
}
